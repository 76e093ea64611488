//! The lock between processes: one has the workspace at a time.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use super::folder;
use crate::{Error, ErrorCode};

/// How long a call waits for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long between two looks, at first and at the most.
const PAUSES: (Duration, Duration) = (Duration::from_micros(500), Duration::from_millis(20));

/// Held while it lives; the system takes it back when the process dies.
pub(super) struct Lock(#[expect(dead_code, reason = "holds the lock")] File);

impl Lock {
    /// Waits for the lock, 5 s at most and not past the deadline. `BUSY` names the process that has it.
    pub(super) fn acquire(folder: &Path, deadline: Instant) -> Result<Self, Error> {
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(folder.join("lock"));
        let mut file = open.map_err(|error| folder::unusable(&error).because(error))?;
        let until = deadline.min(Instant::now() + BUSY_TIMEOUT);
        let mut pause = PAUSES.0;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(folder::unusable(&error).because(error)),
                Err(TryLockError::WouldBlock) if Instant::now() >= until => return Err(busy(&mut file)),
                Err(TryLockError::WouldBlock) => thread::sleep(pause),
            }
            pause = (pause * 2).min(PAUSES.1);
        }
        // For the message of whoever waits; the lock holds without it.
        let named = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
        named.map_err(|error| folder::unusable(&error).because(error))?;
        Ok(Self(file))
    }
}

fn busy(file: &mut File) -> Error {
    let mut holder = String::new();
    let read = file.rewind().and_then(|()| file.read_to_string(&mut holder));
    let holder = read.ok().and_then(|_| holder.trim().parse::<u32>().ok());
    let who = holder.map_or("another process".into(), |id| format!("process {id}"));
    Error::new(ErrorCode::Busy, format!("{who} holds the workspace, and did not give it up within 5s"))
}
