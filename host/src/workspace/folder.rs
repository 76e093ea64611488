//! Where a workspace lies: finding it, making it.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use crate::{Error, ErrorCode};

/// The folder's name, as `.git` is git's.
const NAME: &str = ".ghost";

/// The folder of a workspace.
pub(super) fn path(folder: &Path) -> PathBuf {
    folder.join(NAME)
}

/// The nearest folder that holds a workspace, from `start` upward.
pub(super) fn find(start: &Path) -> Result<Option<PathBuf>, Error> {
    let Some(found) = start.ancestors().find(|folder| path(folder).is_dir()) else { return Ok(None) };
    refuse_others(&path(found))?;
    Ok(Some(found.into()))
}

/// A workspace that was found, not named, may have been laid there by another user.
#[cfg(unix)]
fn refuse_others(folder: &Path) -> Result<(), Error> {
    use std::os::unix::fs::MetadataExt;
    let owner = fs::metadata(folder).map_err(|error| unusable(&error))?.uid();
    let mine = fs::metadata("/proc/self").map_or(owner, |process| process.uid());
    if owner == mine {
        return Ok(());
    }
    Err(no_workspace("the workspace that was found belongs to another user: name its folder with --workspace to use it"))
}

#[cfg(not(unix))]
fn refuse_others(_: &Path) -> Result<(), Error> {
    Ok(())
}

/// Makes the folder, which git ignores. False when it is there.
pub(super) fn make(folder: &Path) -> Result<bool, Error> {
    let path = path(folder);
    match fs::create_dir(&path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => return Ok(false),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(no_workspace("there is a .ghost that is no folder").because(error));
        }
        Err(error) => return Err(no_workspace(&format!("the workspace (.ghost) can't be made: {}", reason(&error))).because(error)),
    }
    fs::write(path.join(".gitignore"), "*\n").and_then(|()| sync(&path)).and_then(|()| sync(folder)).map_err(|error| {
        no_workspace(&format!("the workspace (.ghost) can't be made: {}", reason(&error))).because(error)
    })?;
    Ok(true)
}

/// Makes a new name in a folder survive a loss of power.
pub(super) fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// The workspace is there and can't be used.
pub(super) fn unusable(error: &io::Error) -> Error {
    no_workspace(&format!("the workspace (.ghost) can't be opened: {}", reason(error)))
}

pub(super) fn no_workspace(message: &str) -> Error {
    Error::new(ErrorCode::NoWorkspace, message)
}

/// What happened, without the path.
pub(super) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".into(),
        io::ErrorKind::StorageFull => "the disk is full".into(),
        io::ErrorKind::NotFound => "the folder does not exist".into(),
        io::ErrorKind::NotADirectory => "not a folder".into(),
        _ => error.to_string().split(" (os error").next().unwrap_or_default().to_lowercase(),
    }
}
