//! The lease between processes: one has the workspace at a time, and gives way to those who wait.
//!
//! It is two locked files, and the system takes a lock back when its process dies, so nothing is ever left behind. Who has
//! the workspace holds `lock`, and writes its number into it. Who waits blocks on `lock` in the kernel, which wakes those
//! who wait in the order in which they came, and holds `waiting` together with all others who wait: so whoever has the
//! workspace sees that it is wanted.

use std::{
    fs::{File, TryLockError},
    io::{self, Read, Seek, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    Error, ErrorCode,
    folder::{Folder, Location},
};

pub(super) const LOCK: &str = "lock";
pub(super) const WAITING: &str = "waiting";

/// How long a call waits for another process.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long it waits until it looks anew: the folder may have been moved or made meanwhile.
const LOOK_ANEW: Duration = Duration::from_millis(50);
/// How long it waits for something else than the lease, such as for another process that makes the workspace.
const PAUSE: Duration = Duration::from_millis(2);
/// How long who gave way lets those go first who waited, and how long between two looks whether one did.
const COURTESY: (Duration, Duration) = (Duration::from_millis(10), Duration::from_micros(100));

/// Held while it lives.
pub(super) struct Lease {
    folder: Folder,
    lock: File,
    waiting: File,
}

/// What came of one try.
pub(super) enum Tried<T> {
    Got(T),
    /// Somebody else holds it, and is to be waited for in line: the process, where it can be told.
    Held(Option<u32>),
    /// Something else is in the way, for a moment.
    Later,
}

impl Lease {
    /// Looks once.
    pub(super) fn try_take(folder: &Folder) -> io::Result<Tried<Self>> {
        let mut lock = folder.change_or_make(LOCK)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self::of(lock, folder)?.map_or(Tried::Later, Tried::Got)),
            Err(TryLockError::WouldBlock) => Ok(Tried::Held(holder(&mut lock))),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Waits in line, as long as it takes.
    fn wait(folder: &Folder) -> io::Result<Self> {
        let waiting = folder.change_or_make(WAITING)?;
        waiting.lock_shared()?;
        loop {
            let lock = folder.change_or_make(LOCK)?;
            lock.lock()?;
            if let Some(lease) = Self::of(lock, folder)? {
                return Ok(lease);
            }
        }
    }

    /// None when what was locked has been moved or removed meanwhile, and guards nothing.
    fn of(mut lock: File, folder: &Folder) -> io::Result<Option<Self>> {
        if !folder.is_at(&lock, LOCK)? {
            return Ok(None);
        }
        let waiting = folder.change_or_make(WAITING)?;
        // For whoever waits or gave way; the lock holds without it.
        if let Err(error) = lock.set_len(0).and_then(|()| write!(lock, "{}", std::process::id())) {
            tracing::debug!(%error, "the lock does not name its holder");
        }
        Ok(Some(Self { folder: folder.clone(), lock, waiting }))
    }

    /// The folder of the workspace.
    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Whether somebody waits for it.
    pub(super) fn is_wanted(&self) -> bool {
        match self.waiting.try_lock() {
            // Nobody does. Held for longer it would keep them from saying that they wait.
            Ok(()) => self.waiting.unlock().is_err(),
            Err(_) => true,
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Err(error) = self.lock.set_len(0) {
            tracing::debug!(%error, "the lock still names its last holder");
        }
    }
}

/// Lets those go first who waited when this process gave way, for a moment: one that was stopped does not come.
pub(super) fn be_courteous(workspace: &Location, gave_way: Instant) {
    let Ok(folder) = workspace.open() else { return };
    while gave_way.elapsed() < COURTESY.0 && folder.read(LOCK).is_ok_and(|mut lock| holder(&mut lock).is_none()) {
        thread::sleep(COURTESY.1);
    }
}

/// Why a call did not wait for the lease.
pub(super) fn interrupted() -> Error {
    Error::new(ErrorCode::Busy, "another process holds the workspace; the wait for it was interrupted")
}

fn holder(lock: &mut File) -> Option<u32> {
    let mut text = String::new();
    lock.rewind().and_then(|()| lock.read_to_string(&mut text)).ok()?;
    text.trim().parse().ok()
}

/// The calls of this process that wait for the lease. One thread stands in line for all of them.
pub(super) struct Line {
    workspace: Location,
    standing: Mutex<Standing>,
    changed: Condvar,
}

#[derive(Default)]
struct Standing {
    calls: usize,
    has_thread: bool,
    /// What the thread got, until one of the calls takes it.
    lease: Option<Lease>,
}

impl Line {
    pub(super) fn new(workspace: Location) -> Self {
        Self { workspace, standing: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits for the lease. None when it is time to look anew.
    fn stand(self: &Arc<Self>, at_most: Duration) -> Option<Lease> {
        let mut standing = self.standing();
        if !standing.has_thread {
            standing.has_thread = self.start();
            if !standing.has_thread {
                drop(standing);
                thread::sleep(PAUSE.min(at_most));
                return None;
            }
        }
        standing.calls += 1;
        let waits = |standing: &mut Standing| standing.has_thread && standing.lease.is_none();
        let woken = self.changed.wait_timeout_while(standing, at_most, waits);
        let mut standing = woken.unwrap_or_else(PoisonError::into_inner).0;
        standing.calls -= 1;
        standing.lease.take()
    }

    fn start(self: &Arc<Self>) -> bool {
        let line = Arc::clone(self);
        let started = thread::Builder::new().name("ghost-lease".into()).spawn(move || line.wait());
        started.inspect_err(|error| tracing::warn!(%error, "there is no thread to wait for the workspace")).is_ok()
    }

    fn wait(&self) {
        let taken = self.workspace.open().and_then(|folder| Lease::wait(&folder));
        let mut standing = self.standing();
        standing.has_thread = false;
        match taken {
            Ok(lease) if standing.calls > 0 => standing.lease = Some(lease),
            Ok(_) => {}
            // Whoever looks anew meets it as well.
            Err(error) => tracing::debug!(%error, "the lease can't be waited for"),
        }
        self.changed.notify_all();
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One call's waiting for another process: 5 s at the most, and not past the run's deadline.
pub(super) struct Wait {
    since: Instant,
    until: Instant,
}

impl Wait {
    pub(super) fn until(deadline: Instant) -> Self {
        let since = Instant::now();
        Self { since, until: deadline.min(since + BUSY_TIMEOUT) }
    }

    /// Waits for the lease, which `holder` has. None when it is time to look anew, `BUSY` when it took too long.
    pub(super) fn stand(&self, line: &Arc<Line>, holder: Option<u32>) -> Result<Option<Lease>, Error> {
        let left = self.left(holder)?;
        Ok(line.stand(LOOK_ANEW.min(left)))
    }

    /// Waits a little for something else than the lease.
    pub(super) fn pause(&self) -> Result<(), Error> {
        thread::sleep(PAUSE.min(self.left(None)?));
        Ok(())
    }

    fn left(&self, holder: Option<u32>) -> Result<Duration, Error> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(self.busy(holder)) } else { Ok(left) }
    }

    fn busy(&self, holder: Option<u32>) -> Error {
        let who = holder.map_or("another process".into(), |id| format!("process {id}"));
        let waited = u64::try_from((self.until - self.since).as_micros().div_ceil(1_000)).unwrap_or(u64::MAX);
        let waited = humantime::format_duration(Duration::from_millis(waited));
        let message = format!("{who} holds the workspace and did not release it within {waited}");
        let mut error = Error::new(ErrorCode::Busy, message);
        error.details = holder.map(|process| json!({ "process": process }));
        error
    }
}
