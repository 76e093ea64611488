//! Restores a workspace from a backup.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use super::{
    Existing, Workspace,
    backup::copy_file,
    check::{check, holds_nothing},
    database::{self, Database},
    failure::{failed, unusable},
    folder,
    process_lock::{self, ProcessLock, Tried, Wait},
    shared::Shared,
};
use crate::{Error, ErrorCode, data::reason, folder::refusal};

/// The first bytes of a redb file.
const MAGIC: &[u8] = b"redb\x1a\x0a\xa9\x0d\x0a";
/// The name of the copy until it replaces the database.
const UNFINISHED: &str = "data.redb.new";

impl Workspace {
    /// Replaces the workspace with a backup, or creates a workspace from the backup. The workspace is closed first.
    ///
    /// The backup is read and checked first, while other processes wait. A workspace that is not empty is replaced only
    /// if `existing` allows it. The replacement is atomic: after a crash, the workspace is the old or the new one.
    /// Fails once `stop` is set.
    pub fn restore(&self, file: &Path, existing: Existing, stop: &Arc<AtomicBool>) -> Result<(), Error> {
        if !is_database(file).map_err(|error| unreadable(file, &error))? {
            return Err(unfit(file, "it is not a backup of a workspace"));
        }
        self.close()?;
        let wait = Wait::until(Instant::now() + process_lock::BUSY_TIMEOUT);
        while matches!(folder::holds_workspace(self.shared().location()), Ok(false)) {
            let made = folder::make_with(self.shared().folder(), |new| {
                let copy = new.make(database::FILE).map_err(|error| unwritten(file, error))?;
                checked_copy(file, copy, stop)
            })?;
            match made {
                Tried::Got((process_lock, database)) => {
                    database.close_without_writing(());
                    drop(process_lock);
                    return Ok(());
                }
                Tried::Held(_) | Tried::Later => wait.pause()?,
            }
            if stop.load(Ordering::Acquire) {
                return Err(process_lock::interrupted());
            }
        }
        replace(self.shared(), file, existing, stop)
    }
}

fn is_database(file: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(file)?.take(MAGIC.len() as u64).read_to_end(&mut start)?;
    Ok(start == MAGIC)
}

/// Replaces the database of an existing workspace.
fn replace(shared: &Shared, file: &Path, existing: Existing, stop: &Arc<AtomicBool>) -> Result<(), Error> {
    let mut process_lock = take_process_lock(shared, stop)?;
    let folder = process_lock.folder().clone();
    if folder.has_file(database::FILE).map_err(unusable)? && existing == Existing::Keep {
        process_lock = refuse_content(process_lock)?;
    }
    // Replaces a file that an interrupted restore has left.
    let unwritten = |error| unwritten(file, error);
    let copy = folder.unfinished_as(UNFINISHED).map_err(unwritten)?;
    checked_copy(file, copy.file().try_clone().map_err(unwritten)?, stop)?.close_without_writing(());
    copy.finish(database::FILE).map_err(unwritten)?;
    drop(process_lock);
    Ok(())
}

fn take_process_lock(shared: &Shared, stop: &Arc<AtomicBool>) -> Result<ProcessLock, Error> {
    let wait = Wait::until(Instant::now() + process_lock::BUSY_TIMEOUT);
    loop {
        let folder = shared.location().open().map_err(unusable)?;
        match ProcessLock::try_take(&folder).map_err(unusable)? {
            Tried::Got(process_lock) => return Ok(process_lock),
            Tried::Held(holder) => {
                if let Some(process_lock) = wait.wait_in_queue(shared.wait_queue(), holder)? {
                    return Ok(process_lock);
                }
            }
            Tried::Later => wait.pause()?,
        }
        if stop.load(Ordering::Acquire) {
            return Err(process_lock::interrupted());
        }
    }
}

/// Fails if the workspace is not empty; otherwise returns the process lock.
fn refuse_content(process_lock: ProcessLock) -> Result<ProcessLock, Error> {
    let Some(database) = database::open(process_lock.folder())? else {
        return Err(Error::new(ErrorCode::Busy, "another process has the workspace's database open"));
    };
    let empty = holds_nothing(&database);
    database.close_without_writing(());
    if empty? {
        return Ok(process_lock);
    }
    Err(Error::new(ErrorCode::Conflict, "a workspace already exists and is not empty"))
}

/// Copies a backup to a file that is not in use yet, and checks the whole copy.
fn checked_copy(file: &Path, copy: File, stop: &Arc<AtomicBool>) -> Result<Database, Error> {
    let copied = File::open(file).and_then(|backup| copy_file(&backup, &copy, stop));
    copied.map_err(|error| unwritten(file, error))?;
    let mut database = match database::open_file(copy, stop) {
        Ok(Some(database)) => database,
        Ok(None) => return Err(Error::new(ErrorCode::Busy, "another process is restoring this workspace")),
        Err(error) => return Err(refused(file, error)),
    };
    match check(&mut database) {
        Ok(problems) if problems.count == 0 => {
            // An existing index belongs to another database.
            match database.rebuild_indexes() {
                Ok(()) => Ok(database),
                Err(error) => {
                    database.close_without_writing(());
                    Err(failed(error))
                }
            }
        }
        Ok(problems) => {
            database.close_without_writing(());
            Err(unfit(file, &problems.first.join(", ")))
        }
        Err(error) => {
            database.close_without_writing(());
            Err(error)
        }
    }
}

fn refused(file: &Path, error: Error) -> Error {
    let format = error.details.as_ref().and_then(|details| details.get("format")).map(ToString::to_string);
    let why = match format {
        Some(format) => format!("it has format {format}, this ghost reads {}", database::FORMAT),
        None => "it is damaged, or not a backup of a workspace".into(),
    };
    unfit(file, &why).because(error)
}

fn unfit(file: &Path, why: &str) -> Error {
    Error::new(ErrorCode::Data, format!("{} can't be restored: {why}", file.display()))
}

/// Returns the error of copying the backup into the workspace.
fn unwritten(file: &Path, error: io::Error) -> Error {
    match refusal(&error).is_some() {
        true => unusable(error),
        false => unfit(file, &reason(&error)).because(error),
    }
}

fn unreadable(file: &Path, error: &io::Error) -> Error {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "the file does not exist".into(),
        io::ErrorKind::IsADirectory => "it is a folder".into(),
        _ => reason(error),
    };
    Error::new(ErrorCode::NotFound, format!("{} can't be read: {why}", file.display()))
}
