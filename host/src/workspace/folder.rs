//! Where a workspace lies: finding it, making it.

use std::{
    fs,
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

use super::{
    database::{self, Database},
    failure::{no_workspace, unmakable, unusable},
    lease::{self, Lease, Tried},
};
use crate::{
    Error,
    folder::{Folder, Location, Trust, UnfinishedFolder},
    g::queue,
};

/// The folder's name, as `.git` is git's.
const NAME: &str = ".ghost";
/// The entries in it that are files.
const FILES: [&str; 4] = [database::FILE, lease::LOCK, lease::WAITING, queue::NOTIFY];

/// The nearest folder that holds a workspace, from `start` upward.
pub(super) fn find(start: &Path) -> Result<Option<PathBuf>, Error> {
    let start = fs::canonicalize(start).map_err(unusable)?;
    let Some(found) = start.ancestors().find(|folder| folder.join(NAME).is_dir()) else { return Ok(None) };
    refuse_others(&found.join(NAME))?;
    Ok(Some(found.into()))
}

/// A workspace that was found, not named, may have been laid there by somebody else.
fn refuse_others(folder: &Path) -> Result<(), Error> {
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

/// Whether a folder holds a workspace. What is there and is none is refused.
pub(super) fn holds_workspace(workspace: &Location) -> Result<bool, Error> {
    Ok(opened(workspace)?.is_some())
}

/// The folder of a workspace that is there. One with an entry that is no file or folder of the user is refused before
/// anything is written, whether or not the entry is of use.
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
        // Now that it is known for a workspace: a folder that somebody has put in its place stays as it is.
        inside.tighten().map_err(unusable)?;
        return Ok(Some(inside));
    }
    match names.is_empty() {
        true => Ok(None),
        // Made whole or not at all: somebody took the database away, and a new one in its place would hide that.
        false => Err(no_workspace("the workspace has no database; to start again, remove .ghost")),
    }
}

/// Where the workspace of a folder lies.
pub(crate) fn of(folder: &Path, trust: Trust) -> Location {
    Location::new(&folder.join(NAME), NAME, trust)
}

/// Opens the database of a workspace, with the lease if this process has it already, if nobody else has it. None when
/// there is no workspace.
pub(super) fn open(workspace: &Location, lease: Option<Lease>) -> Result<Option<Tried<(Lease, Database)>>, Error> {
    let Some(inside) = opened(workspace)? else { return Ok(None) };
    // A lease that was waited for may be of a folder that has been moved away meanwhile.
    let lease = match lease {
        Some(lease) if lease.folder().is(&inside).map_err(unusable)? => Some(lease),
        _ => None,
    };
    let tried = lease.map_or_else(|| Lease::try_take(&inside), |lease| Ok(Tried::Got(lease)));
    Ok(Some(match tried.map_err(unusable)? {
        Tried::Got(lease) => database::open(&inside)?.map_or(Tried::Later, |database| Tried::Got((lease, database))),
        Tried::Held(holder) => Tried::Held(holder),
        Tried::Later => Tried::Later,
    }))
}

/// Makes a workspace and leaves it open, unless somebody else makes one meanwhile.
pub(super) fn make(folder: &Path) -> Result<Tried<(Lease, Database)>, Error> {
    make_with(folder, database::make)
}

/// The same, with a database that `f` puts into the folder.
///
/// It is made in a folder of one's own, whose name nobody can foresee, and moved into place when all of it is on disk: so a
/// workspace that is there is whole, wherever the making was cut off, and nothing that lies around gets into it. The lease
/// moves along.
pub(super) fn make_with(
    folder: &Path,
    f: impl FnOnce(&Folder) -> Result<Database, Error>,
) -> Result<Tried<(Lease, Database)>, Error> {
    let unfinished = UnfinishedFolder::make_in(&Location::around(folder), NAME).map_err(unmakable)?;
    let Tried::Got(lease) = Lease::try_take(unfinished.folder()).map_err(unmakable)? else { return Ok(Tried::Later) };
    let database = f(unfinished.folder())?;
    match ignored_by_git(unfinished.folder()).and_then(|()| unfinished.finish(NAME)) {
        Ok(true) => Ok(Tried::Got((lease, database))),
        Ok(false) => {
            database.leave(());
            Ok(Tried::Later)
        }
        Err(error) => {
            database.leave(());
            Err(unmakable(error))
        }
    }
}

fn ignored_by_git(folder: &Folder) -> io::Result<()> {
    let mut file = folder.make(".gitignore")?;
    file.write_all(b"*\n")?;
    file.sync_all()
}
