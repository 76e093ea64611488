//! How long a process has had the workspace, and when it gives it back.

use std::time::{Duration, Instant};

use super::lease::Lease;
use crate::folder::Folder;

/// How often the holder looks whether somebody waits.
pub(super) const LOOK: Duration = Duration::from_millis(10);
/// How long a process with calls to serve keeps a workspace that somebody waits for: as long as a commit may take.
const WANTED: Duration = super::flush::WITHIN;
/// How long a process without calls to serve keeps a workspace that nobody waits for.
const IDLE: Duration = Duration::from_secs(1);

/// The time in which a process has the workspace.
pub(super) struct Tenure {
    lease: Lease,
    since: Instant,
    looked: Instant,
    calls: u64,
    /// How many calls there were at the last look.
    seen: u64,
    last_seen: Instant,
}

/// What a look shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Keep,
    /// Nobody needs it for now.
    Idle,
    /// Somebody waits, and it is their turn.
    Wanted,
}

impl Tenure {
    pub(super) fn new(lease: Lease) -> Self {
        let now = Instant::now();
        Self { lease, since: now, looked: now, calls: 0, seen: 0, last_seen: now }
    }

    /// The folder of the workspace.
    pub(super) fn folder(&self) -> &Folder {
        self.lease.folder()
    }

    /// A call was served.
    pub(super) fn served(&mut self) {
        self.calls += 1;
    }

    /// How long until the next look.
    pub(super) fn until_look(&self) -> Duration {
        LOOK.saturating_sub(self.looked.elapsed())
    }

    /// Whether the workspace is to be given back.
    pub(super) fn look(&mut self) -> Look {
        self.looked = Instant::now();
        let is_busy = self.calls > self.seen;
        if is_busy {
            (self.seen, self.last_seen) = (self.calls, self.looked);
        }
        if self.lease.is_wanted() && (!is_busy || self.since.elapsed() >= WANTED) {
            Look::Wanted
        } else if self.last_seen.elapsed() >= IDLE {
            Look::Idle
        } else {
            Look::Keep
        }
    }
}
