//! A workspace from its copy in one file.

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
    failure::{failed, reason, unusable},
    folder,
    lease::{self, Lease, Tried, Wait},
    shared::Shared,
};
use crate::{Error, ErrorCode, folder::refusal};

/// What a file of redb begins with.
const MAGIC: &[u8] = b"redb\x1a\x0a\xa9\x0d\x0a";
/// The copy's name beside the database until it takes its place.
const UNFINISHED: &str = "data.redb.new";

impl Workspace {
    /// Puts a backup in place of the workspace, or makes one of it where there is none. The workspace is closed first.
    ///
    /// All of it is read and checked first, while others wait. A workspace that holds something is replaced only if it may
    /// be, and in one step: cut off at any time, the old one is there or the new one. Gives up once `stop` is set.
    pub fn restore(&self, file: &Path, existing: Existing, stop: &Arc<AtomicBool>) -> Result<(), Error> {
        if !is_database(file).map_err(|error| unreadable(file, &error))? {
            return Err(unfit(file, "it is not a backup of a workspace"));
        }
        self.close()?;
        let wait = Wait::until(Instant::now() + lease::BUSY_TIMEOUT);
        while matches!(folder::holds_workspace(self.shared().location()), Ok(false)) {
            let made = folder::make_with(self.shared().folder(), |new| {
                let copy = new.make(database::FILE).map_err(|error| unwritten(file, error))?;
                checked_copy(file, copy, stop)
            })?;
            match made {
                Tried::Got((lease, database)) => {
                    database.leave(());
                    drop(lease);
                    return Ok(());
                }
                Tried::Held(_) | Tried::Later => wait.pause()?,
            }
            if stop.load(Ordering::Acquire) {
                return Err(lease::interrupted());
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

/// Replaces the database of the workspace that is there.
fn replace(shared: &Shared, file: &Path, existing: Existing, stop: &Arc<AtomicBool>) -> Result<(), Error> {
    let mut lease = take_lease(shared, stop)?;
    let folder = lease.folder().clone();
    if folder.has_file(database::FILE).map_err(unusable)? && existing == Existing::Keep {
        lease = refuse_content(lease)?;
    }
    // Whatever a restore that was cut off has left is in the way of nothing, and goes with this one.
    let unwritten = |error| unwritten(file, error);
    let copy = folder.unfinished_as(UNFINISHED).map_err(unwritten)?;
    checked_copy(file, copy.file().try_clone().map_err(unwritten)?, stop)?.leave(());
    copy.finish(database::FILE).map_err(unwritten)?;
    drop(lease);
    Ok(())
}

fn take_lease(shared: &Shared, stop: &Arc<AtomicBool>) -> Result<Lease, Error> {
    let wait = Wait::until(Instant::now() + lease::BUSY_TIMEOUT);
    loop {
        let folder = shared.location().open().map_err(unusable)?;
        match Lease::try_take(&folder).map_err(unusable)? {
            Tried::Got(lease) => return Ok(lease),
            Tried::Held(holder) => {
                if let Some(lease) = wait.stand(shared.line(), holder)? {
                    return Ok(lease);
                }
            }
            Tried::Later => wait.pause()?,
        }
        if stop.load(Ordering::Acquire) {
            return Err(lease::interrupted());
        }
    }
}

/// Gives the lease back when the workspace holds nothing.
fn refuse_content(lease: Lease) -> Result<Lease, Error> {
    let Some(database) = database::open(lease.folder())? else {
        return Err(Error::new(ErrorCode::Busy, "another process has the workspace's database open"));
    };
    let empty = holds_nothing(&database);
    database.leave(());
    if empty? {
        return Ok(lease);
    }
    Err(Error::new(ErrorCode::Conflict, "a workspace already exists and is not empty"))
}

/// Copies a backup to a place where nobody looks for it yet, and checks all of it.
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
            // An index that is here is of another database.
            match database.give_up_indexes() {
                Ok(()) => Ok(database),
                Err(error) => {
                    database.leave(());
                    Err(failed(error))
                }
            }
        }
        Ok(problems) => {
            database.leave(());
            Err(unfit(file, &problems.first.join(", ")))
        }
        Err(error) => {
            database.leave(());
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

/// The workspace can't take it.
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
