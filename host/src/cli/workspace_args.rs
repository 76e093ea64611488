//! The workspace that a command uses.

use std::{
    env, fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use clap::Args;
use ghost::workspace::{Create, Workspace};

use super::{Exit, input::reason, problem::Problem, report, workspace_in};

/// The option of every command that uses a workspace.
#[derive(Args)]
pub(crate) struct WorkspaceArgs {
    /// The folder that contains the workspace [default: GHOST_WORKSPACE, or the nearest folder upward that has one, or the
    /// current folder]
    #[arg(long, value_name = "DIR", global = true)]
    workspace: Option<PathBuf>,
}

/// The folder of a workspace, and whether the user named it. A workspace that was found may come from an untrusted source.
#[derive(Clone, Debug)]
pub(crate) struct WorkspaceFolder {
    pub(crate) folder: PathBuf,
    is_named: bool,
}

impl WorkspaceFolder {
    /// Returns the workspace, which is not opened yet.
    pub(crate) fn workspace(&self, create: Create) -> Workspace {
        let at = if self.is_named { Workspace::at } else { Workspace::found };
        at(&self.folder, create)
    }
}

impl WorkspaceArgs {
    /// Returns the folder of the workspace.
    pub(crate) fn folder(&self) -> Result<WorkspaceFolder, String> {
        folder(self.workspace.as_deref())
    }

    /// Returns the folder of the workspace, and creates it if the user named it.
    pub(crate) fn created_folder(&self) -> Result<WorkspaceFolder, String> {
        if let Some((_, folder)) = named(self.workspace.as_deref()) {
            fs::create_dir_all(&folder)
                .map_err(|error| format!("{} can't be created: {}", folder.display(), reason(&error)))?;
        }
        self.folder()
    }

    /// Returns the existing workspace; fails if there is none.
    pub(crate) fn existing(&self) -> Result<Workspace, String> {
        let chosen = self.folder()?;
        match (named(self.workspace.as_deref()), chosen.folder.join(".ghost").try_exists()) {
            (Some((how, folder)), Ok(false)) => {
                let folder = folder.display();
                Err(format!("{how} {folder}: there is no workspace in this folder; to create one: ghost init {folder}"))
            }
            (None, Ok(false)) => {
                Err("there is no workspace in this folder or a parent folder; to create one: ghost init; to use another one: --workspace DIR"
                    .into())
            }
            (_, Ok(true) | Err(_)) => Ok(chosen.workspace(Create::Never)),
        }
    }

    /// Calls a function with the workspace, which is created if there is none, and reports the creation.
    pub(crate) fn with_workspace(&self, f: impl FnOnce(&Workspace) -> Result<Exit, Problem>) -> Result<Exit, Problem> {
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

/// Returns the folder that the user named, or the nearest folder upward that has a workspace, or the current folder.
pub(crate) fn folder(option: Option<&Path>) -> Result<WorkspaceFolder, String> {
    if let Some((how, folder)) = named(option) {
        let name = folder.display();
        return match fs::metadata(&folder) {
            Ok(metadata) if metadata.is_dir() => Ok(WorkspaceFolder { folder, is_named: true }),
            Ok(_) => Err(format!("{how} {name}: this is not a folder; name the folder that contains .ghost")),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(format!(
                "{how} {name}: the folder does not exist; to create it with a workspace: ghost init {name}"
            )),
            Err(error) => Err(format!("{how} {name}: {}", reason(&error))),
        };
    }
    let here = env::current_dir().map_err(|error| format!("the current folder can't be used: {}", reason(&error)))?;
    let found = Workspace::find(&here).map_err(|error| error.message)?;
    Ok(WorkspaceFolder { folder: found.unwrap_or_else(|| PathBuf::from(".")), is_named: false })
}

/// Returns the folder that the user named, and the option or variable that names it.
fn named(option: Option<&Path>) -> Option<(&'static str, PathBuf)> {
    // Not clap's own `env`: --no-workspace would then conflict with a variable that is always set.
    let variable = || env::var_os("GHOST_WORKSPACE").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let option = option.map(|folder| ("--workspace", folder.to_path_buf()));
    option.or_else(|| variable().map(|folder| ("GHOST_WORKSPACE", folder)))
}
