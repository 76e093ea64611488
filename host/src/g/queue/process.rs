//! What the runs of a process share of the queues beside the tables: which checkouts are live by the time that has really
//! passed, and the news that items can be had.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::{lapse::TOLERANCE, notices::Notices};
use crate::folder::Location;

/// How many checkouts there are before those are looked for that have ended.
const SWEEP_FROM: usize = 1_024;

pub(crate) struct Process {
    notices: Notices,
    live: Mutex<Live>,
    clock: Mutex<Clock>,
}

/// What is known of the clock for as long as the workspace is open.
#[derive(Default)]
struct Clock {
    /// The latest time that was seen.
    latest: Option<u64>,
    /// Up to which lease those are still to be looked for that were taken before the clock was set back.
    look_back_from: Option<(u64, u64)>,
}

struct Live {
    /// Until when a checkout of this process is live.
    until: HashMap<u64, Instant>,
    sweep_at: usize,
    /// How much time a test has let pass.
    #[cfg(test)]
    skipped: Duration,
}

impl Live {
    fn now(&self) -> Instant {
        #[cfg(test)]
        return Instant::now() + self.skipped;
        #[cfg(not(test))]
        Instant::now()
    }
}

impl Process {
    /// For a workspace.
    pub(crate) fn new(workspace: &Location) -> Self {
        let live = Live {
            until: HashMap::new(),
            sweep_at: SWEEP_FROM,
            #[cfg(test)]
            skipped: Duration::ZERO,
        };
        Self { notices: Notices::new(workspace), live: Mutex::new(live), clock: Mutex::default() }
    }

    /// The news of items that can be had.
    pub(crate) fn notices(&self) -> &Notices {
        &self.notices
    }

    /// An item is pending from now on.
    pub(super) fn made_available(&self) {
        self.notices.tell_here();
    }

    /// A checkout is live for so many milliseconds.
    pub(super) fn took(&self, id: u64, lease: u32) {
        self.took_for(id, lease.into());
    }

    pub(super) fn took_for(&self, id: u64, milliseconds: u64) {
        let mut live = self.live();
        let now = live.now();
        if live.until.len() >= live.sweep_at {
            live.until.retain(|_, until| *until > now);
            live.sweep_at = SWEEP_FROM.max(live.until.len() * 2);
        }
        live.until.insert(id, now + Duration::from_millis(milliseconds));
    }

    /// A checkout has ended.
    pub(super) fn let_go(&self, id: u64) {
        self.live().until.remove(&id);
    }

    /// For how many milliseconds a checkout of this process is live.
    pub(super) fn left(&self, id: u64) -> Option<u64> {
        let live = self.live();
        let left = live.until.get(&id)?.saturating_duration_since(live.now());
        u64::try_from(left.as_millis()).ok().filter(|left| *left > 0)
    }

    /// The workspace was opened: what other processes have seen of the clock is not known.
    pub(crate) fn opened(&self) {
        *self.clock() = Clock::default();
    }

    /// Changes were given up: which checkouts are this process's is not known any more, nor what is pending.
    pub(crate) fn lost(&self) {
        self.live().until.clear();
        self.made_available();
    }

    /// The time is `now`. Gives up to which lease those are to be looked for that were taken before the clock was set back.
    pub(super) fn look_back_from(&self, now: u64) -> Option<(u64, u64)> {
        let mut clock = self.clock();
        if clock.latest.is_none_or(|latest| now.saturating_add(TOLERANCE) < latest) {
            *clock = Clock { latest: Some(now), look_back_from: Some((u64::MAX, u64::MAX)) };
        } else {
            clock.latest = clock.latest.max(Some(now));
        }
        clock.look_back_from
    }

    /// The leases before this one are still to be looked at.
    pub(super) fn looked_back_to(&self, lease: Option<(u64, u64)>) {
        self.clock().look_back_from = lease;
    }

    /// Whether there are leases still to be looked at.
    pub(super) fn looks_back(&self) -> bool {
        self.clock().look_back_from.is_some()
    }

    #[cfg(test)]
    pub(super) fn skip(&self, milliseconds: u64) {
        self.live().skipped += Duration::from_millis(milliseconds);
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
