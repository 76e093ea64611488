//! `ghost secret`: connection strings, stored in the workspace and encrypted.

use std::{
    env,
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
    execute::print_result,
    place::{Chosen, Place},
    prompt, report,
    table::{self, Side, Table},
    terminal::harmless,
    trouble::{self, Trouble},
    unclosed, workspace_in,
};

/// More than a secret can have: what is longer is refused, not cut.
const INPUT_BYTES: u64 = 1 << 20;

const EXAMPLES: &str = "Examples:
  ghost secret set orders                 asks for the connection string
  ghost secret set orders < orders.txt
  ghost secret check orders               connects with it
  ghost secret list";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Secret {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    place: Place,
}

#[derive(Subcommand)]
enum Command {
    /// Stores a secret: asks for it, or reads it from standard input
    ///
    /// It is encrypted with a key in your configuration folder (ghost/key), and lies in the workspace, which is made if
    /// there is none. A script names it as `conn` and can't read it. The environment variable GHOST_SECRET_NAME (upper
    /// case, `_` for what is no letter or digit) goes before it.
    Set(Named),
    /// Prints the names of the secrets that are stored
    List {
        /// Prints one JSON value also on a terminal
        #[arg(long)]
        json: bool,
    },
    /// Removes a secret
    Remove(Named),
    /// Says which namespace can use a secret, and connects with it
    Check(Named),
}

#[derive(Args)]
struct Named {
    /// Its name: 1 to 64 of letters, digits, `_`, `-`, `.`
    name: String,
    /// What does not belong here: most likely the secret, which an error of the parser would show.
    #[arg(hide = true)]
    rest: Vec<OsString>,
}

/// The secrets of a run: of the environment, then of the workspace.
pub(crate) fn source(chosen: Option<&Chosen>) -> Secrets {
    let chosen = chosen.cloned();
    Secrets::new(move |name| find(chosen.as_ref(), name))
}

impl Secret {
    pub(crate) fn run(self) -> Exit {
        trouble::exit(self.attempt())
    }

    fn attempt(&self) -> Result<Exit, Trouble> {
        secrets::close_process().map_err(|error| unclosed(&error))?;
        if let Command::Set(named) | Command::Remove(named) | Command::Check(named) = &self.command {
            secrets::check_name(&named.name)?;
            if !named.rest.is_empty() {
                let message = "a name is all that is taken here (the rest is not shown): the secret itself is asked for, or read \
                               from standard input, since others can see the command line";
                return Err(message.to_owned().into());
            }
        }
        let chosen = self.place.folder()?;
        match &self.command {
            Command::Set(named) => set(&chosen, &named.name),
            Command::List { json } => Ok(list(&stored(&chosen)?.list()?, *json)),
            Command::Remove(named) => remove(&chosen, &named.name),
            Command::Check(named) => check(&chosen, &named.name),
        }
    }
}

fn set(chosen: &Chosen, name: &str) -> Result<Exit, Trouble> {
    let secret = ask(name)?;
    if !chosen.workspace(Create::Never).exists()? && Workspace::init(&chosen.folder)? {
        report::note(&format!("made a workspace in {}", workspace_in(&chosen.folder)));
    }
    stored(chosen)?.set(name, &secret)?;
    if secret.namespaces().is_empty() {
        report::note("no namespace of g reads this as a connection string; it is stored all the same");
    }
    if environment::taken(&secrets::variable(name)).is_some() {
        report::note(&format!("{} is set and goes before what is stored", secrets::variable(name)));
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

fn remove(chosen: &Chosen, name: &str) -> Result<Exit, Trouble> {
    if stored(chosen)?.remove(name)? { Ok(Exit::Success) } else { Err(no_secret(name)) }
}

fn no_secret(name: &str) -> Trouble {
    Trouble::failed(format!("there is no secret named {name}"))
}

fn check(chosen: &Chosen, name: &str) -> Result<Exit, Trouble> {
    let secret = find(Some(chosen), name)?.ok_or_else(|| no_secret(name))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("the host can't start: {error}"))?;
    let checked = runtime.block_on(async { Ok::<_, Error>(Host::new()?.check_secret(&secret).await) })?;
    if checked.is_empty() {
        let message = format!("no namespace can use the secret {name}: it looks like no connection string of theirs");
        return Err(Trouble::failed(message));
    }
    Ok(checked.iter().map(tell).fold(Exit::Success, |all, one| if all == Exit::Success { one } else { all }))
}

/// A line for a namespace that can use it.
fn tell(checked: &Checked) -> Exit {
    match &checked.connected {
        Ok(who) => deliver(&format!("g.{}: connected to {}", checked.namespace, harmless(who))),
        Err(error) => Trouble::failed(format!("g.{}: {}", checked.namespace, error.message)).tell(),
    }
}

/// The value, from a prompt without echo or from standard input; never from the command line, which others can see.
fn ask(name: &str) -> Result<secrets::Secret, Trouble> {
    if io::stdin().is_terminal() {
        return prompt::hidden(&format!("Connection string for {name} (not shown): ")).map(secrets::Secret::from);
    }
    let mut text = String::new();
    let read = io::stdin().lock().take(INPUT_BYTES).read_to_string(&mut text);
    read.map_err(|error| format!("the secret can't be read: {error}"))?;
    // The end of the line is not part of it: `echo` and editors put one there.
    let end = text.trim_end_matches(['\r', '\n']).len();
    text.truncate(end);
    Ok(text.into())
}

fn find(chosen: Option<&Chosen>, name: &str) -> Result<Option<secrets::Secret>, Error> {
    let variable = secrets::variable(name);
    match environment::taken(&variable) {
        Some(Taken::Secret(secret)) if !secret.expose().is_empty() => return Ok(Some(secret.clone())),
        Some(Taken::NotUtf8) => {
            return Err(Error::new(ErrorCode::SecretInvalid, format!("{variable} is not UTF-8")));
        }
        Some(Taken::Secret(_)) | None => {}
    }
    let Some(chosen) = chosen else {
        let message = format!("there is no secret named {name}: this run has no workspace, and {variable} is not set");
        return Err(Error::new(ErrorCode::SecretNotFound, message));
    };
    stored(chosen)?.get(name)
}

fn stored(chosen: &Chosen) -> Result<Stored, Error> {
    Ok(Stored::of(&chosen.workspace(Create::Never), &key_file()?))
}

/// Where the key of the user lies.
fn key_file() -> Result<PathBuf, Error> {
    let named = |variable| env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = named("XDG_CONFIG_HOME").or_else(|| named("HOME").map(|home| home.join(".config")));
    let folder = folder.ok_or_else(|| {
        Error::new(
            ErrorCode::SecretInvalid,
            "there is no configuration folder: neither XDG_CONFIG_HOME nor HOME is set",
        )
    })?;
    Ok(folder.join("ghost").join("key"))
}
