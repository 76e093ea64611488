//! The process lock: one process has the workspace at a time, and releases it to waiters.
//!
//! It consists of two locked files; the system releases the locks of a process that dies. The holder locks `lock`, and
//! writes its process id into it. Waiters block on `lock` in the kernel, which is first come, first served, and share a
//! lock on `waiting`, which tells the holder that there are waiters.

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
/// The interval at which a waiting call opens the folder again, which may have been moved or created meanwhile.
const RECHECK_INTERVAL: Duration = Duration::from_millis(50);
/// How long a call waits before it retries, if anything but the process lock prevents it from opening the workspace,
/// such as another process that creates the workspace.
const RETRY_DELAY: Duration = Duration::from_millis(2);
/// How long a process that released the workspace waits until a waiter has taken it, and how often it checks.
const YIELD_TIMEOUT: Duration = Duration::from_millis(10);
const YIELD_POLL_INTERVAL: Duration = Duration::from_micros(100);

/// The process lock, released on drop.
pub(super) struct ProcessLock {
    folder: Folder,
    lock: File,
    waiting: File,
}

/// The result of one attempt.
pub(super) enum Tried<T> {
    Got(T),
    /// Another process has the lock; its id, if known.
    Held(Option<u32>),
    /// The attempt failed for another reason, and may succeed a moment later.
    Later,
}

impl ProcessLock {
    /// Tries once to take the lock.
    pub(super) fn try_take(folder: &Folder) -> io::Result<Tried<Self>> {
        let mut lock = folder.change_or_make(LOCK)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self::of(lock, folder)?.map_or(Tried::Later, Tried::Got)),
            Err(TryLockError::WouldBlock) => Ok(Tried::Held(holder(&mut lock))),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Waits for the lock without a time limit.
    fn wait(folder: &Folder) -> io::Result<Self> {
        let waiting = folder.change_or_make(WAITING)?;
        waiting.lock_shared()?;
        loop {
            let lock = folder.change_or_make(LOCK)?;
            lock.lock()?;
            if let Some(process_lock) = Self::of(lock, folder)? {
                return Ok(process_lock);
            }
        }
    }

    /// Returns the process lock; `None` if the locked file was moved or removed meanwhile.
    fn of(mut lock: File, folder: &Folder) -> io::Result<Option<Self>> {
        if !folder.is_at(&lock, LOCK)? {
            return Ok(None);
        }
        let waiting = folder.change_or_make(WAITING)?;
        // The id is for the error messages of waiters; the lock is valid without it.
        if let Err(error) = lock.set_len(0).and_then(|()| write!(lock, "{}", std::process::id())) {
            tracing::debug!(%error, "the lock does not name its holder");
        }
        Ok(Some(Self { folder: folder.clone(), lock, waiting }))
    }

    /// Returns the folder of the workspace.
    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Whether another process waits for the lock.
    pub(super) fn is_wanted(&self) -> bool {
        match self.waiting.try_lock() {
            // No process waits. The lock is released at once, so that new waiters can take it.
            Ok(()) => self.waiting.unlock().is_err(),
            Err(_) => true,
        }
    }
}

impl Drop for ProcessLock {
    fn drop(&mut self) {
        if let Err(error) = self.lock.set_len(0) {
            tracing::debug!(%error, "the lock still names its last holder");
        }
    }
}

/// Waits until a waiter has taken the lock that this process has released, for at most 10 ms after the release, since a
/// suspended waiter does not take it.
pub(super) fn let_waiters_go_first(workspace: &Location, gave_way: Instant) {
    let Ok(folder) = workspace.open() else { return };
    while gave_way.elapsed() < YIELD_TIMEOUT && folder.read(LOCK).is_ok_and(|mut lock| holder(&mut lock).is_none()) {
        thread::sleep(YIELD_POLL_INTERVAL);
    }
}

/// Returns the error of a call whose wait for the process lock was interrupted.
pub(super) fn interrupted() -> Error {
    Error::new(ErrorCode::Busy, "another process holds the workspace; the wait for it was interrupted")
}

fn holder(lock: &mut File) -> Option<u32> {
    let mut text = String::new();
    lock.rewind().and_then(|()| lock.read_to_string(&mut text)).ok()?;
    text.trim().parse().ok()
}

/// The calls of this process that wait for the process lock. One thread waits for all of them.
pub(super) struct WaitQueue {
    workspace: Location,
    queued: Mutex<Queued>,
    changed: Condvar,
}

#[derive(Default)]
struct Queued {
    calls: usize,
    has_thread: bool,
    /// The lock that the thread got, until one of the calls takes it.
    process_lock: Option<ProcessLock>,
}

impl WaitQueue {
    pub(super) fn new(workspace: Location) -> Self {
        Self { workspace, queued: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits for the process lock. Returns `None` if the folder has to be opened again.
    fn wait_in_queue(self: &Arc<Self>, at_most: Duration) -> Option<ProcessLock> {
        let mut queued = self.queued();
        if !queued.has_thread {
            queued.has_thread = self.start();
            if !queued.has_thread {
                drop(queued);
                thread::sleep(RETRY_DELAY.min(at_most));
                return None;
            }
        }
        queued.calls += 1;
        let waits = |queued: &mut Queued| queued.has_thread && queued.process_lock.is_none();
        let woken = self.changed.wait_timeout_while(queued, at_most, waits);
        let mut queued = woken.unwrap_or_else(PoisonError::into_inner).0;
        queued.calls -= 1;
        queued.process_lock.take()
    }

    fn start(self: &Arc<Self>) -> bool {
        let wait_queue = Arc::clone(self);
        let started = thread::Builder::new().name("ghost-lock-wait".into()).spawn(move || wait_queue.wait());
        started
            .inspect_err(|error| tracing::warn!(%error, "the thread that waits for the workspace can't be started"))
            .is_ok()
    }

    fn wait(&self) {
        let taken = self.workspace.open().and_then(|folder| ProcessLock::wait(&folder));
        let mut queued = self.queued();
        queued.has_thread = false;
        match taken {
            Ok(process_lock) if queued.calls > 0 => queued.process_lock = Some(process_lock),
            Ok(_) => {}
            // The calls get the same error when they open the folder again.
            Err(error) => tracing::debug!(%error, "waiting for the process lock failed"),
        }
        self.changed.notify_all();
    }

    fn queued(&self) -> MutexGuard<'_, Queued> {
        self.queued.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The wait of one call for another process: at most 5 s, and not past the run's deadline.
pub(super) struct Wait {
    since: Instant,
    until: Instant,
}

impl Wait {
    pub(super) fn until(deadline: Instant) -> Self {
        let since = Instant::now();
        Self { since, until: deadline.min(since + BUSY_TIMEOUT) }
    }

    /// Waits for the process lock, which `holder` has. Returns `None` if the folder has to be opened again. Fails with
    /// `BUSY` when the time is over.
    pub(super) fn wait_in_queue(
        &self,
        wait_queue: &Arc<WaitQueue>,
        holder: Option<u32>,
    ) -> Result<Option<ProcessLock>, Error> {
        let left = self.left(holder)?;
        Ok(wait_queue.wait_in_queue(RECHECK_INTERVAL.min(left)))
    }

    /// Waits a moment before the next attempt.
    pub(super) fn pause(&self) -> Result<(), Error> {
        thread::sleep(RETRY_DELAY.min(self.left(None)?));
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
