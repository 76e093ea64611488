//! Which workspace a command is for.

use std::{
    env,
    path::{Path, PathBuf},
};

use clap::Args;
use ghost::workspace::{Create, Workspace};

use super::{Exit, report, trouble::Trouble, workspace_in};

/// The option of every command that works with a workspace.
#[derive(Args)]
pub(crate) struct Place {
    /// The folder that holds the workspace [default: GHOST_WORKSPACE, else the nearest one upward, else the current folder]
    #[arg(long, value_name = "DIR", global = true)]
    workspace: Option<PathBuf>,
}

impl Place {
    pub(crate) fn folder(&self) -> Result<PathBuf, String> {
        folder(self.workspace.as_deref())
    }

    /// The workspace that is there; it is not made.
    pub(crate) fn existing(&self) -> Result<Workspace, String> {
        Ok(Workspace::at(&self.folder()?, Create::Never))
    }

    /// Does something with a workspace that is made if there is none, and says so.
    pub(crate) fn with_workspace(&self, f: impl FnOnce(&Workspace) -> Result<Exit, Trouble>) -> Result<Exit, Trouble> {
        let folder = self.folder()?;
        let workspace = Workspace::at(&folder, Create::AtFirstUse);
        let done = f(&workspace);
        let closed = workspace.close();
        if workspace.was_made() {
            report::note(&format!("made a workspace in {}", workspace_in(&folder)));
        }
        let exit = done?;
        closed?;
        Ok(exit)
    }
}

/// The folder that was named, else the nearest one upward that has a workspace, else the current one.
pub(crate) fn folder(named: Option<&Path>) -> Result<PathBuf, String> {
    // Not clap's own `env`: then --no-workspace would clash with a variable that is set once for all.
    let variable = || env::var_os("GHOST_WORKSPACE").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    if let Some(folder) = named.map(Path::to_path_buf).or_else(variable) {
        return Ok(folder);
    }
    let here = env::current_dir().map_err(|error| format!("the current folder can't be used: {error}"))?;
    let found = Workspace::find(&here).map_err(|error| error.message)?;
    Ok(found.unwrap_or_else(|| PathBuf::from(".")))
}
