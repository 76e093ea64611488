//! The lock between processes: one has the workspace at a time.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use crate::{Error, ErrorCode};

/// How long a call waits for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long between two looks, at first and at the most.
const PAUSES: (Duration, Duration) = (Duration::from_micros(500), Duration::from_millis(20));

/// Held while it lives; the system takes it back when the process dies.
pub(super) struct Lock(#[expect(dead_code, reason = "holds the lock")] File);

/// What came of one try.
pub(super) enum Tried<T> {
    Got(T),
    /// Somebody else holds it: the process, where it can be told.
    Held(Option<u32>),
}

impl Lock {
    /// Looks once.
    pub(super) fn try_take(path: &Path) -> io::Result<Tried<Self>> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Tried::Held(holder(&mut file))),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // What was locked may have been moved or removed meanwhile, and then guards nothing.
        if !is_at(&file, path)? {
            return Ok(Tried::Held(None));
        }
        // For the message of whoever waits; the lock holds without it.
        if let Err(error) = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id())) {
            tracing::debug!(%error, "the lock does not name its holder");
        }
        Ok(Tried::Got(Self(file)))
    }
}

fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().and_then(|()| file.read_to_string(&mut text)).ok()?;
    text.trim().parse().ok()
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let held = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (held.dev(), held.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    fs::exists(path)
}

/// Waiting for another process: 5 s at the most, and not past the run's deadline.
pub(super) struct Wait {
    since: Instant,
    until: Instant,
    pause: Duration,
}

impl Wait {
    pub(super) fn until(deadline: Instant) -> Self {
        let since = Instant::now();
        Self { since, until: deadline.min(since + BUSY_TIMEOUT), pause: PAUSES.0 }
    }

    /// Waits a little, or gives up with `BUSY`.
    pub(super) fn pause(&mut self, holder: Option<u32>) -> Result<(), Error> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(self.busy(holder));
        }
        thread::sleep(self.pause.min(left));
        self.pause = (self.pause * 2).min(PAUSES.1);
        Ok(())
    }

    fn busy(&self, holder: Option<u32>) -> Error {
        let who = holder.map_or("another process".into(), |id| format!("process {id}"));
        let waited = humantime::format_duration(Duration::from_millis(self.waited()));
        Error::new(ErrorCode::Busy, format!("{who} holds the workspace, and did not give it up within {waited}"))
    }

    fn waited(&self) -> u64 {
        u64::try_from((self.until - self.since).as_millis()).unwrap_or(u64::MAX)
    }
}
