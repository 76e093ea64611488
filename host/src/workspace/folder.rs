//! Where a workspace lies: finding it, making it.

use std::{
    fs::{self, File},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use super::{
    database::{self, Database},
    failure::{no_workspace, unmakable, unusable},
    lease::{Lease, Tried},
};
use crate::Error;

/// The folder's name, as `.git` is git's.
const NAME: &str = ".ghost";
/// Its name while it is being made.
const UNFINISHED: &str = ".ghost.new";

/// The nearest folder that holds a workspace, from `start` upward.
pub(super) fn find(start: &Path) -> Result<Option<PathBuf>, Error> {
    let start = fs::canonicalize(start).map_err(unusable)?;
    let Some(found) = start.ancestors().find(|folder| folder.join(NAME).is_dir()) else { return Ok(None) };
    refuse_others(&found.join(NAME))?;
    Ok(Some(found.into()))
}

/// A workspace that was found, not named, may have been laid there by another user.
#[cfg(unix)]
fn refuse_others(folder: &Path) -> Result<(), Error> {
    use std::os::unix::fs::MetadataExt;
    let owner = fs::metadata(folder).map_err(unusable)?.uid();
    if owner == rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    Err(no_workspace(
        "the workspace that was found belongs to another user: name its folder with --workspace to use it",
    ))
}

#[cfg(not(unix))]
fn refuse_others(_: &Path) -> Result<(), Error> {
    Ok(())
}

/// Whether a folder holds a workspace. What is there and is none is refused.
pub(super) fn holds_workspace(folder: &Path) -> Result<bool, Error> {
    let path = of(folder);
    if database::is_in(&path).map_err(unusable)? {
        return Ok(true);
    }
    match fs::read_dir(&path).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(false),
        // Made whole or not at all: somebody took the database away, and a new one in its place would hide that.
        Ok(false) => Err(no_workspace("the workspace has no database: remove .ghost to start anew")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            Err(no_workspace(".ghost is not a folder").because(error))
        }
        Err(error) => Err(unusable(error)),
    }
}

/// Where the workspace of a folder lies.
pub(super) fn of(folder: &Path) -> PathBuf {
    folder.join(NAME)
}

/// Opens the database of a workspace, with the lease if this process has it already, if nobody else has it.
pub(super) fn open(folder: &Path, lease: Option<Lease>) -> Result<Tried<(Lease, Database)>, Error> {
    let path = of(folder);
    let tried = lease.map_or_else(|| Lease::try_take(&path), |lease| Ok(Tried::Got(lease)));
    Ok(match tried.map_err(unusable)? {
        Tried::Got(lease) => database::open(&path)?.map_or(Tried::Later, |database| Tried::Got((lease, database))),
        Tried::Held(holder) => Tried::Held(holder),
        Tried::Later => Tried::Later,
    })
}

/// Makes a workspace and leaves it open, if nobody else is about to.
///
/// It is made under another name and moved into place when all of it is on disk, so that a workspace that is there is
/// whole, wherever the making was cut off. The lease moves along.
pub(super) fn make(folder: &Path) -> Result<Tried<(Lease, Database)>, Error> {
    make_with(folder, database::make)
}

/// The same, with a database that `f` puts into the folder.
pub(super) fn make_with(
    folder: &Path,
    f: impl FnOnce(&Path) -> Result<Database, Error>,
) -> Result<Tried<(Lease, Database)>, Error> {
    let unfinished = folder.join(UNFINISHED);
    match fs::create_dir(&unfinished) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(unmakable(error)),
        _ => {}
    }
    let lease = match Lease::try_take(&unfinished) {
        Ok(Tried::Got(lease)) => lease,
        Ok(Tried::Held(_) | Tried::Later) => return Ok(Tried::Later),
        // It has just been moved into place by another process.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Tried::Later),
        Err(error) => return Err(unmakable(error)),
    };
    if holds_workspace(folder)? {
        fs::remove_dir_all(&unfinished).map_err(unmakable)?;
        return Ok(Tried::Later);
    }
    let database = f(&unfinished).inspect_err(|_| {
        if let Err(error) = fs::remove_dir_all(&unfinished) {
            tracing::debug!(%error, "what was begun can't be removed");
        }
    })?;
    finish(folder, &unfinished).map_err(unmakable)?;
    Ok(Tried::Got((lease, database)))
}

fn finish(folder: &Path, unfinished: &Path) -> io::Result<()> {
    fs::write(unfinished.join(".gitignore"), "*\n")?;
    sync(&unfinished.join(".gitignore"))?;
    sync(unfinished)?;
    fs::rename(unfinished, of(folder))?;
    sync(folder)
}

/// Puts a file, or what a folder lists, on disk.
pub(super) fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
