//! A copy of a workspace in one file.

use std::{
    fs::{self, File},
    io::{self, Read},
    ops::Range,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use rustix::{fs::SeekFrom, io::Errno};
use tempfile::NamedTempFile;

use super::{Workspace, database, failure::unusable};
use crate::{Error, ErrorCode, data::reason};

/// How many bytes are copied between two checks of `stop`.
const STEP: u64 = 16 << 20;
/// How many bytes are copied between two syncs: a sync can't be stopped, and has to be short.
const SYNCED: u64 = 8 * STEP;

/// What is done with a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and the call fails.
    Keep,
    /// It is replaced, in one step.
    Replace,
}

impl Workspace {
    /// Copies the workspace into a file, with all changes of every call that returned before. Calls wait while the file is
    /// copied, not while it is synced. Returns the size. Fails once `stop` is set; then no file is left.
    pub fn backup(&self, file: &Path, existing: Existing, stop: &AtomicBool) -> Result<u64, Error> {
        if file.is_dir() {
            let message = format!("{} can't be written: it is a folder", file.display());
            return Err(Error::new(ErrorCode::PathDenied, message));
        }
        if existing == Existing::Keep && fs::symlink_metadata(file).is_ok() {
            return Err(exists(file));
        }
        let unwritten = |error: io::Error| unwritten(file, error);
        let copy = beside(file).map_err(unwritten)?;
        let size = self.shared().alone(|database, folder| {
            let copied = folder.read(database::FILE).map_err(unusable);
            let copied = copied.and_then(|data| copy_file(&data, copy.as_file(), stop).map_err(unwritten));
            database.leave(());
            copied
        })?;
        copy.as_file().sync_all().map_err(unwritten)?;
        move_to(copy, file, existing)?;
        Ok(size)
    }
}

/// A file in the same folder, which is removed unless it is moved into place.
fn beside(file: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ghost-").suffix(".unfinished");
    // As every file that a command writes: what the user's mask leaves of this.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder_of(file))
}

fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.into(),
        _ => PathBuf::from("."),
    }
}

/// Copies what was written to a file, in steps, of which a file system that can shares the blocks. What was never written takes
/// no time, and no place in the copy: a database is made longer than it has to be, and may be one of a terabyte of nothing.
pub(super) fn copy_file(from: &File, to: &File, stop: &AtomicBool) -> io::Result<u64> {
    let length = from.metadata()?.len();
    let (mut at, mut unsynced) = (0, 0);
    while let Some(written) = written_after(from, at)? {
        at = written.start;
        rustix::fs::seek(from, SeekFrom::Start(at))?;
        rustix::fs::seek(to, SeekFrom::Start(at))?;
        while at < written.end {
            if stop.load(Ordering::Acquire) {
                return Err(io::Error::other("it was interrupted"));
            }
            let copied = io::copy(&mut from.take(STEP.min(written.end - at)), &mut &*to)?;
            if copied == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            (at, unsynced) = (at + copied, unsynced + copied);
            if unsynced >= SYNCED {
                to.sync_data()?;
                unsynced = 0;
            }
        }
    }
    to.set_len(length)?;
    Ok(length)
}

/// The next part of a file that was written.
fn written_after(file: &File, at: u64) -> io::Result<Option<Range<u64>>> {
    match rustix::fs::seek(file, SeekFrom::Data(at)) {
        Ok(start) => Ok(Some(start..rustix::fs::seek(file, SeekFrom::Hole(start))?)),
        Err(Errno::NXIO) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Moves a complete file into place, and sees to it that it stays there.
fn move_to(copy: NamedTempFile, file: &Path, existing: Existing) -> Result<(), Error> {
    let moved = match existing {
        Existing::Keep => copy.persist_noclobber(file),
        Existing::Replace => copy.persist(file),
    };
    match moved {
        Ok(_) => sync(&folder_of(file)).map_err(|error| unwritten(file, error)),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(exists(file)),
        Err(error) => Err(unwritten(file, error.error)),
    }
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

fn exists(file: &Path) -> Error {
    Error::new(ErrorCode::Conflict, format!("{} already exists", file.display()))
}

fn unwritten(file: &Path, error: io::Error) -> Error {
    let message = format!("{} can't be written: {}", file.display(), reason(&error));
    Error::new(ErrorCode::PathDenied, message).because(error)
}
