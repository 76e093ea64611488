//! `ghost secret`: connection strings, stored in the workspace and encrypted.

use std::{
    env,
    io::{self, IsTerminal, Read},
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use ghost::{
    Error, ErrorCode, Host,
    secrets::{self, Checked, Secrets, Stored},
    workspace::Workspace,
};

use super::{Exit, deliver, not_started, report, terminal::harmless, workspace_folder, workspace_in};

/// More than a secret can have: what is longer is refused, not cut.
const INPUT_BYTES: u64 = 1 << 20;

#[derive(Subcommand)]
pub(crate) enum Secret {
    /// Stores a secret: asks for it, or reads it from standard input
    ///
    /// It is encrypted with a key in your configuration folder (ghost/key), and lies in the workspace. A script names it
    /// as `conn` and can't read it. The environment variable GHOST_SECRET_NAME (upper case, `_` for what is no letter or
    /// digit) goes before it.
    Set(Named),
    /// Prints the names of the secrets that are stored
    List(Place),
    /// Removes a secret
    Remove(Named),
    /// Says which namespace can use a secret, and connects with it
    Check(Named),
}

#[derive(Args)]
pub(crate) struct Named {
    /// Its name: 1 to 64 of letters, digits, `_`, `-`, `.`
    name: String,
    #[command(flatten)]
    place: Place,
}

#[derive(Args)]
pub(crate) struct Place {
    /// The folder that holds the workspace [default: GHOST_WORKSPACE, else the nearest one upward, else the current folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
}

impl Place {
    fn folder(&self) -> Result<PathBuf, Error> {
        workspace_folder(self.workspace.as_deref()).map_err(|message| Error::new(ErrorCode::NoWorkspace, message))
    }

    fn stored(&self) -> Result<Stored, Error> {
        stored(&self.folder()?)
    }
}

/// The secrets of a run: of the environment, then of the workspace.
pub(crate) fn source(folder: Option<&Path>) -> Secrets {
    let folder = folder.map(Path::to_path_buf);
    Secrets::new(move |name| find(folder.as_deref(), name))
}

impl Secret {
    pub(crate) fn run(self) -> Exit {
        let done = match self {
            Self::Set(named) => set(&named),
            Self::List(place) => list(&place),
            Self::Remove(named) => remove(&named),
            Self::Check(named) => check(&named),
        };
        done.unwrap_or_else(|error| match error.code {
            ErrorCode::InvalidArgument | ErrorCode::NoWorkspace => not_started(&error.message),
            _ => failed(&error.message),
        })
    }
}

fn failed(message: &str) -> Exit {
    report::message(message);
    Exit::Failed
}

fn set(named: &Named) -> Result<Exit, Error> {
    secrets::check_name(&named.name)?;
    let folder = named.place.folder()?;
    let secret = ask(&named.name)?;
    // One that is there need not be free.
    if !folder.join(".ghost").is_dir() && Workspace::init(&folder)? {
        report::note(&format!("made a workspace in {}", workspace_in(&folder)));
    }
    stored(&folder)?.set(&named.name, &secret)?;
    if env::var_os(secrets::variable(&named.name)).is_some() {
        report::note(&format!("{} is set and goes before what is stored", secrets::variable(&named.name)));
    }
    Ok(Exit::Success)
}

fn list(place: &Place) -> Result<Exit, Error> {
    let names = place.stored()?.list()?;
    Ok(if names.is_empty() { Exit::Success } else { deliver(&names.join("\n")) })
}

fn remove(named: &Named) -> Result<Exit, Error> {
    let removed = named.place.stored()?.remove(&named.name)?;
    Ok(if removed { Exit::Success } else { failed(&format!("there is no secret named {}", named.name)) })
}

fn check(named: &Named) -> Result<Exit, Error> {
    secrets::check_name(&named.name)?;
    let folder = named.place.folder()?;
    let Some(secret) = find(Some(&folder), &named.name)? else {
        return Ok(failed(&format!("there is no secret named {}", named.name)));
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::new(ErrorCode::Internal, format!("the host can't start: {error}")))?;
    let checked = runtime.block_on(async { Ok::<_, Error>(Host::new()?.check_secret(&secret).await) })?;
    Ok(tell(&named.name, &checked))
}

/// A line for each namespace that can use it.
fn tell(name: &str, checked: &[Checked]) -> Exit {
    if checked.is_empty() {
        return failed(&format!(
            "no namespace can use the secret {name}: it looks like no connection string of theirs"
        ));
    }
    let mut exit = Exit::Success;
    for one in checked {
        exit = match &one.connected {
            Ok(who) => deliver(&format!("g.{}: connected to {}", one.namespace, harmless(who))),
            Err(error) => failed(&format!("g.{}: {}", one.namespace, harmless(&error.message))),
        };
        if exit != Exit::Success {
            break;
        }
    }
    exit
}

/// The value, from a prompt without echo or from standard input; never from the command line, which others can see.
fn ask(name: &str) -> Result<secrets::Secret, Error> {
    let unreadable = |error: io::Error| Error::invalid(format!("the secret can't be read: {error}"));
    if io::stdin().is_terminal() {
        return rpassword::prompt_password(format!("{name}: ")).map(secrets::Secret::from).map_err(unreadable);
    }
    let mut text = String::new();
    io::stdin().lock().take(INPUT_BYTES).read_to_string(&mut text).map_err(unreadable)?;
    // The end of the line is not part of it: `echo` and editors put one there.
    let end = text.trim_end_matches(['\r', '\n']).len();
    text.truncate(end);
    Ok(text.into())
}

fn find(folder: Option<&Path>, name: &str) -> Result<Option<secrets::Secret>, Error> {
    let variable = secrets::variable(name);
    match env::var(&variable) {
        Ok(text) if !text.is_empty() => return Ok(Some(text.into())),
        Err(env::VarError::NotUnicode(_)) => {
            return Err(Error::new(ErrorCode::SecretInvalid, format!("{variable} is not UTF-8")));
        }
        Ok(_) | Err(env::VarError::NotPresent) => {}
    }
    folder.map_or(Ok(None), |folder| stored(folder)?.get(name))
}

fn stored(folder: &Path) -> Result<Stored, Error> {
    Ok(Stored::at(folder, &key_file()?))
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
