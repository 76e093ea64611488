//! Decides when a process releases the workspace to another one.

use std::time::{Duration, Instant};

use super::process_lock::ProcessLock;
use crate::folder::Folder;

/// How often the holder checks for waiters.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How long a busy process keeps a workspace that has waiters: as long as a change may wait for its commit.
const MAX_HOLD_TIME: Duration = super::schedule::FLUSH_INTERVAL;
/// How long an idle process keeps a workspace without waiters.
const IDLE_TIMEOUT: Duration = Duration::from_secs(1);

/// The process lock, and how busy the process has been since it took the lock.
pub(super) struct YieldPolicy {
    process_lock: ProcessLock,
    since: Instant,
    polled: Instant,
    calls: u64,
    /// The number of calls at the last poll.
    seen: u64,
    last_seen: Instant,
    /// Whether another process waited at the last poll.
    is_wanted: bool,
}

/// What to do with the workspace after a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// This process keeps the workspace.
    Keep,
    /// This process does not need the workspace, and no other process waits.
    Idle,
    /// Another process waits, and this process has to release the workspace.
    Wanted,
}

impl YieldPolicy {
    pub(super) fn new(process_lock: ProcessLock) -> Self {
        let (now, is_wanted) = (Instant::now(), process_lock.is_wanted());
        Self { process_lock, since: now, polled: now, calls: 0, seen: 0, last_seen: now, is_wanted }
    }

    /// Whether another process waited for the workspace at the last poll, or when this process opened it.
    pub(super) fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Returns the folder of the workspace.
    pub(super) fn folder(&self) -> &Folder {
        self.process_lock.folder()
    }

    /// Counts a call.
    pub(super) fn served(&mut self) {
        self.calls += 1;
    }

    /// Returns the time until the next poll.
    pub(super) fn until_poll(&self) -> Duration {
        POLL_INTERVAL.saturating_sub(self.polled.elapsed())
    }

    /// Decides whether to release the workspace.
    pub(super) fn poll(&mut self) -> Decision {
        self.polled = Instant::now();
        let is_busy = self.calls > self.seen;
        if is_busy {
            (self.seen, self.last_seen) = (self.calls, self.polled);
        }
        self.is_wanted = self.process_lock.is_wanted();
        if self.is_wanted && (!is_busy || self.since.elapsed() >= MAX_HOLD_TIME) {
            Decision::Wanted
        } else if self.last_seen.elapsed() >= IDLE_TIMEOUT {
            Decision::Idle
        } else {
            Decision::Keep
        }
    }
}
