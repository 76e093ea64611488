//! Which workspace a command is for.

use std::{
    env, fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use clap::Args;
use ghost::workspace::{Create, Workspace};

use super::{Exit, input::reason, report, trouble::Trouble, workspace_in};

/// The option of every command that works with a workspace.
#[derive(Args)]
pub(crate) struct Place {
    /// The folder that holds the workspace [default: GHOST_WORKSPACE, else the nearest one upward, else the current folder]
    #[arg(long, value_name = "DIR", global = true)]
    workspace: Option<PathBuf>,
}

/// The folder of a workspace, and whether somebody named it: what was found may have been put there by anybody.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub(crate) folder: PathBuf,
    is_named: bool,
}

impl Chosen {
    /// Its workspace, which is not opened yet.
    pub(crate) fn workspace(&self, create: Create) -> Workspace {
        let at = if self.is_named { Workspace::at } else { Workspace::found };
        at(&self.folder, create)
    }
}

impl Place {
    pub(crate) fn folder(&self) -> Result<Chosen, String> {
        folder(self.workspace.as_deref())
    }

    /// The same, made if it was named and is not there.
    pub(crate) fn made_folder(&self) -> Result<Chosen, String> {
        if let Some((_, folder)) = named(self.workspace.as_deref()) {
            fs::create_dir_all(&folder)
                .map_err(|error| format!("{} can't be made: {}", folder.display(), reason(&error)))?;
        }
        self.folder()
    }

    /// The workspace that is there; it is not made.
    pub(crate) fn existing(&self) -> Result<Workspace, String> {
        let chosen = self.folder()?;
        match (named(self.workspace.as_deref()), chosen.folder.join(".ghost").try_exists()) {
            (Some((how, folder)), Ok(false)) => {
                let folder = folder.display();
                Err(format!("{how} {folder}: there is no workspace in this folder; to make one: ghost init {folder}"))
            }
            (None, Ok(false)) => {
                Err("there is no workspace in this folder or above it; to make one: ghost init; to name one: --workspace DIR"
                    .into())
            }
            (_, Ok(true) | Err(_)) => Ok(chosen.workspace(Create::Never)),
        }
    }

    /// Does something with a workspace that is made if there is none, and says so.
    pub(crate) fn with_workspace(&self, f: impl FnOnce(&Workspace) -> Result<Exit, Trouble>) -> Result<Exit, Trouble> {
        let chosen = self.folder()?;
        let workspace = chosen.workspace(Create::AtFirstUse);
        let done = f(&workspace);
        let closed = workspace.close();
        if workspace.was_made() {
            report::note(&format!("made a workspace in {}", workspace_in(&chosen.folder)));
        }
        let exit = done?;
        closed?;
        Ok(exit)
    }
}

/// The folder that was named, else the nearest one upward that has a workspace, else the current one.
pub(crate) fn folder(option: Option<&Path>) -> Result<Chosen, String> {
    if let Some((how, folder)) = named(option) {
        let name = folder.display();
        return match fs::metadata(&folder) {
            Ok(metadata) if metadata.is_dir() => Ok(Chosen { folder, is_named: true }),
            Ok(_) => Err(format!("{how} {name}: this is no folder; the folder is wanted that holds .ghost")),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(format!("{how} {name}: there is no such folder; to make it, with a workspace: ghost init {name}"))
            }
            Err(error) => Err(format!("{how} {name}: {}", reason(&error))),
        };
    }
    let here = env::current_dir().map_err(|error| format!("the current folder can't be used: {}", reason(&error)))?;
    let found = Workspace::find(&here).map_err(|error| error.message)?;
    Ok(Chosen { folder: found.unwrap_or_else(|| PathBuf::from(".")), is_named: false })
}

/// How a folder was named, and which.
fn named(option: Option<&Path>) -> Option<(&'static str, PathBuf)> {
    // Not clap's own `env`: then --no-workspace would clash with a variable that is set once for all.
    let variable = || env::var_os("GHOST_WORKSPACE").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let option = option.map(|folder| ("--workspace", folder.to_path_buf()));
    option.or_else(|| variable().map(|folder| ("GHOST_WORKSPACE", folder)))
}
