//! `ghost secret`: manages the encrypted connection strings in the workspace.

use std::{
    ffi::OsString,
    io::{self, IsTerminal, Read},
    path::PathBuf,
};

use clap::{Args, Subcommand};
use ghost::{
    Error, ErrorCode, Host,
    secrets::{self, Checked, Secrets, Stored},
    workspace::{Create, Workspace},
};
use serde_json::json as value;

use super::{
    Exit, deliver,
    environment::{self, Taken},
    execute::{self, print_result},
    problem::{self, Problem},
    prompt, protection_failed, report,
    table::{self, Side, Table},
    terminal::escape,
    workspace_args::{WorkspaceArgs, WorkspaceFolder},
    workspace_in,
};

/// The maximum number of bytes to read. More than a secret may have, so that a longer one is rejected and not cut.
const INPUT_BYTES: u64 = 1 << 20;

/// The forms of connection strings, for messages.
const FORMATS: &str = "postgres://, key=value, s3://, mongodb://, JSON with url, or JSON with accessKeyId and endpoint";

const EXAMPLES: &str = "Examples:
  ghost secret set orders                 prompt for the connection string
  ghost secret set orders < orders.txt
  ghost secret check orders               connect to the server
  ghost secret list";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Secret {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Stores a secret; prompts for it, or reads it from standard input
    ///
    /// The secret is stored in the workspace, encrypted with a key in your configuration folder (ghost/key). A workspace is
    /// created if there is none. A script passes the name of the secret as `conn` and can't read its content. The
    /// environment variable GHOST_SECRET_<NAME> takes precedence over the stored secret; there the name is in upper case,
    /// with `_` for each character that is not a letter or digit.
    Set(Named),
    /// Lists the names of the stored secrets
    List {
        /// Prints JSON instead of a table, also on a terminal
        #[arg(long)]
        json: bool,
    },
    /// Removes a secret
    Remove(Named),
    /// Shows which client (such as g.sqldb) can use a secret, and connects to its server
    Check(Named),
}

#[derive(Args)]
struct Named {
    /// The name of the secret: 1 to 64 letters, digits, `_`, `-` or `.`
    name: String,
    /// Excess arguments, most likely the secret, which an error of the parser would print.
    #[arg(hide = true)]
    rest: Vec<OsString>,
}

/// Returns the secrets of a run: those of the environment, then those of the workspace.
pub(crate) fn source(chosen: Option<&WorkspaceFolder>) -> Secrets {
    let chosen = chosen.cloned();
    Secrets::new(move |name| find(chosen.as_ref(), name))
}

impl Secret {
    pub(crate) fn run(self) -> Exit {
        problem::exit(self.attempt())
    }

    fn attempt(&self) -> Result<Exit, Problem> {
        secrets::protect_process().map_err(|error| protection_failed(&error))?;
        if let Command::Set(named) | Command::Remove(named) | Command::Check(named) = &self.command {
            secrets::check_name(&named.name)?;
            if !named.rest.is_empty() {
                let message = "only a name is accepted here (the rest is not shown); ghost prompts for the secret, or reads it \
                               from standard input, because other users can see the command line";
                return Err(message.to_owned().into());
            }
        }
        let chosen = self.workspace.folder()?;
        match &self.command {
            Command::Set(named) => set(&chosen, &named.name),
            Command::List { json } => Ok(list(&stored(&chosen)?.list()?, *json)),
            Command::Remove(named) => remove(&chosen, &named.name),
            Command::Check(named) => check(&chosen, &named.name),
        }
    }
}

fn set(chosen: &WorkspaceFolder, name: &str) -> Result<Exit, Problem> {
    let secret = ask(name)?;
    if !chosen.workspace(Create::Never).exists()? && Workspace::init(&chosen.folder)? {
        report::note(&format!("made a workspace in {}", workspace_in(&chosen.folder)));
    }
    stored(chosen)?.set(name, &secret)?;
    if secret.namespaces().is_empty() {
        report::note(&format!(
            "stored, but no namespace of g can use it: it matches no known connection string format ({FORMATS})"
        ));
    }
    for (namespace, error) in secret.problems() {
        report::note(&format!("stored, but g.{namespace} can't use it: {}", error.message));
    }
    if environment::taken(&secrets::variable(name)).is_some() {
        report::note(&format!(
            "the environment variable {} is set and takes precedence over the stored secret",
            secrets::variable(name)
        ));
    }
    Ok(Exit::Success)
}

fn list(names: &[String], as_json: bool) -> Exit {
    let Some(width) = table::width().filter(|_| !as_json) else {
        let names: Vec<_> = names.iter().map(|name| value!({ "name": name })).collect();
        return print_result(&value!(names).to_string());
    };
    if names.is_empty() {
        return deliver("there are no secrets");
    }
    let mut table = Table::new([("SECRET", Side::Left)]);
    names.iter().for_each(|name| table.row([name.clone()]));
    deliver(&table.lines(width))
}

fn remove(chosen: &WorkspaceFolder, name: &str) -> Result<Exit, Problem> {
    if stored(chosen)?.remove(name)? { Ok(Exit::Success) } else { Err(no_secret(name)) }
}

fn no_secret(name: &str) -> Problem {
    Problem::failed(format!("there is no secret {name}; to store it: ghost secret set {name}"))
}

fn check(chosen: &WorkspaceFolder, name: &str) -> Result<Exit, Problem> {
    let secret = find(Some(chosen), name)?.ok_or_else(|| no_secret(name))?;
    let checked = execute::runtime()?.block_on(async { Ok::<_, Error>(Host::new()?.check_secret(&secret).await) })?;
    if checked.is_empty() {
        let message =
            format!("no namespace can use the secret {name}: it matches no known connection string format ({FORMATS})");
        return Err(Problem::failed(message));
    }
    Ok(checked.iter().map(print_checked).fold(Exit::Success, |all, one| if all == Exit::Success { one } else { all }))
}

/// Prints a line for a namespace that can use the secret.
fn print_checked(checked: &Checked) -> Exit {
    let address = checked.address.as_ref().map(|address| format!(" at {}", escape(address))).unwrap_or_default();
    let namespace = format!("g.{}{address}", checked.namespace);
    match &checked.connected {
        Ok(who) => deliver(&format!("{namespace}: connected to {}", escape(who))),
        Err(error) => Problem::failed(format!("{namespace}: {}", error.message)).report(),
    }
}

/// Reads the secret from a prompt without echo or from standard input; never from the command line, which other users
/// can see.
fn ask(name: &str) -> Result<secrets::Secret, Problem> {
    if io::stdin().is_terminal() {
        return prompt::hidden(&format!("Connection string for {name} (not shown): ")).map(secrets::Secret::from);
    }
    let mut text = String::new();
    let read = io::stdin().lock().take(INPUT_BYTES).read_to_string(&mut text);
    read.map_err(|error| format!("the secret can't be read: {error}"))?;
    // `echo` and editors append a line break, which is not part of the secret.
    let end = text.trim_end_matches(['\r', '\n']).len();
    text.truncate(end);
    Ok(text.into())
}

fn find(chosen: Option<&WorkspaceFolder>, name: &str) -> Result<Option<secrets::Secret>, Error> {
    let variable = secrets::variable(name);
    match environment::taken(&variable) {
        Some(Taken::Secret(secret)) if !secret.expose().is_empty() => return Ok(Some(secret.clone())),
        Some(Taken::NotUtf8) => {
            return Err(Error::new(ErrorCode::SecretInvalid, format!("{variable} is not UTF-8")));
        }
        Some(Taken::Secret(_)) | None => {}
    }
    let Some(chosen) = chosen else {
        let message = format!("there is no secret {name}: this run has no workspace, and {variable} is not set");
        return Err(Error::new(ErrorCode::SecretNotFound, message));
    };
    stored(chosen)?.get(name)
}

fn stored(chosen: &WorkspaceFolder) -> Result<Stored, Error> {
    Ok(Stored::of(&chosen.workspace(Create::Never), &key_file()?))
}

/// Returns the path of the user's key.
fn key_file() -> Result<PathBuf, Error> {
    let folder = environment::user_folder("XDG_CONFIG_HOME", ".config");
    let folder = folder.ok_or_else(|| {
        Error::new(
            ErrorCode::SecretInvalid,
            "no configuration folder for the key: neither XDG_CONFIG_HOME nor HOME is set to an absolute path",
        )
    })?;
    Ok(folder.join("ghost").join("key"))
}
