//! The folder in which a script may name files: the option `--dir` of `ghost run`. No path leads out of it, also
//! when another process changes the folder at the same time: `cap-std` resolves every path below an open folder.
//!
//! No error shows a path of the host.

mod new_file;
#[cfg(test)]
mod race_test;
#[cfg(test)]
mod tests;

use std::{
    ffi::OsStr,
    fs::{self, File},
    io,
    os::fd::{AsFd, AsRawFd},
    path::{Component, Path, PathBuf},
};

use cap_std::{
    ambient_authority,
    fs::{Dir, OpenOptions, OpenOptionsExt},
};
use rustix::fs::OFlags;

use crate::{Error, ErrorCode};
pub(crate) use new_file::{Draft, NewFile};

/// The longest path, in bytes: Linux takes no longer ones.
const MAX_PATH_BYTES: usize = 4095;

/// The folder of a workspace.
const WORKSPACE: &str = ".ghost";

/// The folder of a run; or none, and then no path is allowed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Directory(Option<PathBuf>);

impl Directory {
    pub(crate) fn of(path: Option<PathBuf>) -> Self {
        Self(path)
    }

    /// Opens a regular file for reading, without waiting for the writer of a FIFO. Returns it with its length.
    ///
    /// Fails with `path-denied` when the path leads out of the folder or is not a regular file, and with `not-found`.
    pub(crate) fn open(&self, path: &str) -> Result<(File, u64), Error> {
        check(path)?;
        let folder = self.folder()?;
        let failed = |error: io::Error| of_reading(&error);
        // Before it is opened: opening a device may already do something.
        if !folder.metadata(path).map_err(failed)?.is_file() {
            return Err(denied(NOT_A_FILE));
        }
        let mut options = OpenOptions::new();
        options.read(true).custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
        let file = folder.open_with(path, &options).map_err(failed)?.into_std();
        check_outside_workspace(&file)?;
        // Of the opened file: the path may name another one by now.
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(denied(NOT_A_FILE));
        }
        Ok((file, metadata.len()))
    }

    /// Checks that a file can be put at a path: that it is inside of the folder, and that what exists there is a regular file.
    /// Changes nothing.
    pub(crate) fn check_target(&self, path: &str) -> Result<(), Error> {
        let target = Target::of(path)?;
        let folder = self.folder()?;
        if let Ok(parent) = folder.open_dir(target.folder()) {
            check_outside_workspace(&parent)?;
        }
        match folder.symlink_metadata(target.path) {
            Ok(found) if found.is_file() => Ok(()),
            Ok(_) => Err(denied(NOT_A_FILE)),
            // Some of its folders may be missing too: they are made later.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(of_writing(&error)),
        }
    }

    /// Makes a file that takes the place of a path when it is [complete](NewFile::commit). Makes missing folders.
    /// `draft` removes it if it does not get so far.
    pub(crate) fn create(&self, path: &str, draft: &Draft) -> Result<NewFile, Error> {
        self.check_target(path)?;
        NewFile::beside(self.folder()?, &Target::of(path)?, draft)
    }

    fn folder(&self) -> Result<Dir, Error> {
        let Some(path) = &self.0 else {
            return Err(denied("this run has no folder in which a script may name files"));
        };
        let folder = Dir::open_ambient_dir(path, ambient_authority())
            .map_err(|error| denied(format!("the folder of the run can't be opened: {}", error.kind())))?;
        check_outside_workspace(&folder)?;
        Ok(folder)
    }
}

const NOT_A_FILE: &str = "localPath is not a regular file";

/// A path for a new file: its folders, and its name.
struct Target<'p> {
    path: &'p Path,
    parent: &'p Path,
    name: &'p Path,
}

impl<'p> Target<'p> {
    /// Its folder, as a path that can be opened.
    fn folder(&self) -> &'p Path {
        if self.parent.as_os_str().is_empty() { Path::new(".") } else { self.parent }
    }

    fn of(path: &'p str) -> Result<Self, Error> {
        check(path)?;
        let is_folder = path.ends_with('/') || path.ends_with("/.");
        let path = Path::new(path);
        match (path.components().next_back(), path.parent()) {
            (Some(Component::Normal(name)), Some(parent)) if !is_folder => {
                Ok(Self { path, parent, name: Path::new(name) })
            }
            _ => Err(denied(NOT_A_FILE)),
        }
    }
}

/// Checks what needs no folder.
fn check(path: &str) -> Result<(), Error> {
    if path.is_empty() {
        return Err(Error::invalid("localPath is empty"));
    }
    if path.len() > MAX_PATH_BYTES {
        return Err(Error::invalid(format!("localPath is {} bytes, the limit is {MAX_PATH_BYTES}", path.len())));
    }
    if path.contains('\0') {
        return Err(Error::invalid("localPath contains a NUL character"));
    }
    if path.split('/').any(|name| is_workspace(name.as_ref())) { Err(in_workspace()) } else { Ok(()) }
}

/// Checks where an open file or folder really is: its path may have had a link in it.
fn check_outside_workspace(open: &impl AsFd) -> Result<(), Error> {
    let link = format!("/proc/self/fd/{}", open.as_fd().as_raw_fd());
    let path = fs::read_link(link)
        .map_err(|error| denied(format!("it can't be determined where localPath leads: {}", error.kind())))?;
    if path.components().any(|name| is_workspace(name.as_os_str())) { Err(in_workspace()) } else { Ok(()) }
}

/// Some file systems take the case of a letter for nothing.
fn is_workspace(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(WORKSPACE)
}

/// A script reaches a workspace by its methods alone: files in it may not be replaced, and secrets not be copied.
fn in_workspace() -> Error {
    denied(format!("localPath leads into a workspace ({WORKSPACE})"))
}

fn denied(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::PathDenied, message)
}

fn of_reading(error: &io::Error) -> Error {
    if error.kind() == io::ErrorKind::NotFound {
        return Error::new(ErrorCode::NotFound, "the file of localPath does not exist");
    }
    of_path(error, "read")
}

fn of_writing(error: &io::Error) -> Error {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    if matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge) {
        return Error::new(ErrorCode::Limit, format!("the file of localPath can't be written: {}", error.kind()));
    }
    of_path(error, "written")
}

fn of_path(error: &io::Error, done: &str) -> Error {
    // cap-std has no kind of its own for a path that leaves its folder; with openat2, the kernel reports EXDEV.
    let leaves = error.raw_os_error().is_none_or(|code| code == rustix::io::Errno::XDEV.raw_os_error());
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::CrossesDevices if leaves => {
            denied("localPath leads out of the folder of the run")
        }
        kind => denied(format!("the file of localPath can't be {done}: {kind}")),
    }
}

/// The error of a file that can't be read any further.
pub(crate) fn unreadable(error: &io::Error) -> Error {
    of_reading(error)
}
