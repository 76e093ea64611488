//! The folder `.ghost`: finds it, opens it, creates it.

use std::{
    fs,
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

use super::{
    database::{self, Database},
    failure::{cannot_create, no_workspace, unusable},
    process_lock::{self, ProcessLock, Tried},
};
use crate::{
    Error,
    data::queue::NOTIFY_FILE,
    folder::{Folder, Location, Trust, UnfinishedFolder},
    index,
};

/// The name of the folder.
const NAME: &str = ".ghost";
/// The folder of the secrets in the workspace.
pub(crate) const SECRETS: &str = "secrets";
/// The files in the workspace.
const FILES: [&str; 4] = [database::FILE, process_lock::LOCK, process_lock::WAITING, NOTIFY_FILE];

/// The files and folders that a process creates in an open workspace.
const LEFTOVERS: [&str; 4] = [process_lock::LOCK, process_lock::WAITING, NOTIFY_FILE, index::FOLDER];

/// Returns the nearest folder that contains a workspace, from `start` upward.
pub(super) fn find(start: &Path) -> Result<Option<PathBuf>, Error> {
    let start = fs::canonicalize(start).map_err(unusable)?;
    let Some(found) = start.ancestors().find(|folder| folder.join(NAME).is_dir()) else { return Ok(None) };
    refuse_link_or_other_owner(&found.join(NAME))?;
    Ok(Some(found.into()))
}

/// Fails if the folder is a link or belongs to another user, since a workspace that was found and not named may come
/// from another user.
fn refuse_link_or_other_owner(folder: &Path) -> Result<(), Error> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::symlink_metadata(folder).map_err(unusable)?;
    let why = if found.is_symlink() {
        "is a link"
    } else if found.uid() != rustix::process::geteuid().as_raw() {
        "belongs to another user"
    } else {
        return Ok(());
    };
    Err(no_workspace(format!(
        "the workspace that was found ({NAME}) {why}: to use it anyway, name its folder with --workspace"
    )))
}

/// Whether a workspace exists. Fails if `.ghost` is not a folder, or is a folder that has entries but no database.
pub(super) fn holds_workspace(workspace: &Location) -> Result<bool, Error> {
    Ok(opened(workspace)?.is_some())
}

/// Opens the folder of a workspace, if it exists. Fails, before anything is written, if any entry is not a regular file
/// or folder of the user, even an entry that ghost does not use.
fn opened(workspace: &Location) -> Result<Option<Folder>, Error> {
    let inside = match workspace.open() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(no_workspace(".ghost is not a folder").because(error));
        }
        inside => inside.map_err(unusable)?,
    };
    let names = inside.names_of_own(&FILES).map_err(unusable)?;
    if names.iter().any(|name| name == database::FILE) {
        // Not earlier: a folder that is not a workspace stays unchanged.
        inside.tighten().map_err(unusable)?;
        return Ok(Some(inside));
    }
    match is_leftover(&names) {
        true => Ok(None),
        // A workspace is always created with its database, so the database was removed. A new one would hide that.
        false => Err(no_workspace("the workspace has no database; to start again, remove .ghost")),
    }
}

/// Whether a folder without a database contains only files that a process creates in a workspace that is being removed. A
/// folder from which only the database was removed still has its `.gitignore`.
fn is_leftover(names: &[String]) -> bool {
    names.iter().all(|name| LEFTOVERS.contains(&name.as_str()))
}

/// Removes such files, so that a new workspace can take the place of the folder.
fn remove_leftovers(workspace: &Location) -> io::Result<()> {
    // What can't be opened is reported when the new workspace takes its place.
    let Ok(inside) = workspace.open() else { return Ok(()) };
    // Another process may have put a new workspace in place: it contains more, and stays.
    let names = inside.names_of_own(&FILES)?;
    if !is_leftover(&names) {
        return Ok(());
    }
    names.iter().try_for_each(|name| inside.remove_all(name))
}

/// Returns the location of the workspace of a folder.
pub(crate) fn of(folder: &Path, trust: Trust) -> Location {
    Location::new(&folder.join(NAME), NAME, trust)
}

/// Opens the database of a workspace, if no other process has the workspace open. `process_lock` is the lock if this
/// process has already taken it. Returns `None` if the workspace does not exist.
pub(super) fn open(
    workspace: &Location,
    process_lock: Option<ProcessLock>,
) -> Result<Option<Tried<(ProcessLock, Database)>>, Error> {
    let Some(inside) = opened(workspace)? else { return Ok(None) };
    // While this process waited for the process lock, its folder may have been moved away.
    let process_lock = match process_lock {
        Some(process_lock) if process_lock.folder().is(&inside).map_err(unusable)? => Some(process_lock),
        _ => None,
    };
    let tried =
        process_lock.map_or_else(|| ProcessLock::try_take(&inside), |process_lock| Ok(Tried::Got(process_lock)));
    Ok(Some(match tried.map_err(unusable)? {
        Tried::Got(process_lock) => {
            database::open(&inside)?.map_or(Tried::Later, |database| Tried::Got((process_lock, database)))
        }
        Tried::Held(holder) => Tried::Held(holder),
        Tried::Later => Tried::Later,
    }))
}

/// Creates a workspace and leaves it open, unless another process creates one meanwhile.
pub(super) fn make(folder: &Path) -> Result<Tried<(ProcessLock, Database)>, Error> {
    make_with(folder, database::make)
}

/// As `make`, with a database that `f` creates in the folder.
///
/// Creates a new folder with a random name, and renames it when all of it is on disk. A workspace is therefore always
/// complete, and contains no foreign files. The process lock is taken in the new folder.
pub(super) fn make_with(
    folder: &Path,
    f: impl FnOnce(&Folder) -> Result<Database, Error>,
) -> Result<Tried<(ProcessLock, Database)>, Error> {
    let unfinished = UnfinishedFolder::make_in(&Location::around(folder), NAME).map_err(cannot_create)?;
    let Tried::Got(process_lock) = ProcessLock::try_take(unfinished.folder()).map_err(cannot_create)? else {
        return Ok(Tried::Later);
    };
    let database = f(unfinished.folder())?;
    remove_leftovers(&of(folder, Trust::Found)).map_err(cannot_create)?;
    match ignored_by_git(unfinished.folder()).and_then(|()| unfinished.finish(NAME)) {
        Ok(true) => Ok(Tried::Got((process_lock, database))),
        Ok(false) => {
            database.close_without_writing(());
            Ok(Tried::Later)
        }
        Err(error) => {
            database.close_without_writing(());
            Err(cannot_create(error))
        }
    }
}

fn ignored_by_git(folder: &Folder) -> io::Result<()> {
    let mut file = folder.make(".gitignore")?;
    file.write_all(b"*\n")?;
    file.sync_all()
}
