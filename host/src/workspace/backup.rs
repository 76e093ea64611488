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

/// The number of bytes that are copied between two checks of `stop`.
const STEP: u64 = 16 << 20;
/// The number of bytes that are copied between two syncs. A sync can't be stopped, so it has to be short.
const SYNC_INTERVAL_BYTES: u64 = 8 * STEP;

/// What happens to data that exists already: the file of a backup, or the workspace of a restore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It is kept, and the call fails.
    Keep,
    /// It is replaced atomically.
    Replace,
}

impl Workspace {
    /// Copies the workspace into a file, with the changes of every call that has returned, and without the rows of what was
    /// cleared. Other calls wait while the file is copied, including a sync after each 128 MiB, but not during the final
    /// sync. Returns the size. Fails once `stop` is set, and then leaves no file.
    pub fn backup(&self, file: &Path, existing: Existing, stop: &AtomicBool) -> Result<u64, Error> {
        if file.is_dir() {
            let message = format!("{} can't be written: it is a folder", file.display());
            return Err(Error::new(ErrorCode::PathDenied, message));
        }
        if existing == Existing::Keep && fs::symlink_metadata(file).is_ok() {
            return Err(exists(file));
        }
        let unwritten = |error: io::Error| unwritten(file, error);
        let copy = temporary_next_to(file).map_err(unwritten)?;
        let size = self.shared().with_purged_database(|database, folder| {
            let copied = folder.read(database::FILE).map_err(unusable);
            let copied = copied.and_then(|data| copy_file(&data, copy.as_file(), stop).map_err(unwritten));
            database.close_without_writing(());
            copied
        })?;
        copy.as_file().sync_all().map_err(unwritten)?;
        move_to(copy, file, existing)?;
        Ok(size)
    }
}

/// Creates a file in the same folder, which is removed unless it is moved into place.
fn temporary_next_to(file: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ghost-").suffix(".unfinished");
    // Mode 0666 less the user's umask, as for any file that a command writes.
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

/// Copies the data of a sparse file in steps. A file system that supports it shares the blocks. Holes are skipped and
/// stay holes in the copy: a database file is longer than its data, by up to a terabyte.
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
            if unsynced >= SYNC_INTERVAL_BYTES {
                to.sync_data()?;
                unsynced = 0;
            }
        }
    }
    to.set_len(length)?;
    Ok(length)
}

/// Returns the next range of a file that contains data, at or after an offset.
fn written_after(file: &File, at: u64) -> io::Result<Option<Range<u64>>> {
    match rustix::fs::seek(file, SeekFrom::Data(at)) {
        Ok(start) => Ok(Some(start..rustix::fs::seek(file, SeekFrom::Hole(start))?)),
        Err(Errno::NXIO) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Moves a complete file into place, and syncs the folder.
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
