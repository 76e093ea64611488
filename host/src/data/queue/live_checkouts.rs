//! The live checkouts of this process. Their leases are measured by elapsed time, so setting the clock forward does not
//! end them.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::{LEASE_MS, expiry::TOLERANCE};

/// The number of checkouts from which on the ended ones are removed.
const SWEEP_FROM: usize = 1_024;

#[derive(Default)]
pub(super) struct LiveCheckouts {
    live: Mutex<Live>,
    clock: Mutex<Clock>,
}

/// What this process has observed of the clock since the workspace was opened.
#[derive(Default)]
struct Clock {
    /// The latest time seen.
    latest: Option<u64>,
    /// The leases before this one still have to be checked: they may have been taken before the clock was set back.
    unchecked_before: Option<(u64, u64)>,
}

struct Live {
    /// Checkout → the end of its lease.
    until: HashMap<u64, Instant>,
    /// The checkouts of runs that are alive. Their leases are being renewed, and do not end however late the renewal is.
    held: HashSet<u64>,
    sweep_at: usize,
    /// The time that a test has skipped.
    #[cfg(test)]
    skipped: Duration,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            until: HashMap::new(),
            held: HashSet::new(),
            sweep_at: SWEEP_FROM,
            #[cfg(test)]
            skipped: Duration::ZERO,
        }
    }
}

impl Live {
    fn now(&self) -> Instant {
        #[cfg(test)]
        return Instant::now() + self.skipped;
        #[cfg(not(test))]
        Instant::now()
    }
}

impl LiveCheckouts {
    /// Records the lease of a new or renewed checkout, in milliseconds.
    pub(super) fn start(&self, id: u64, lease: u32) {
        self.renew_for(id, lease.into());
    }

    /// Renews the lease of a checkout: it ends this many milliseconds from now.
    pub(super) fn renew_for(&self, id: u64, milliseconds: u64) {
        let mut live = self.live();
        let now = live.now();
        if live.until.len() >= live.sweep_at {
            live.until.retain(|_, until| *until > now);
            live.sweep_at = SWEEP_FROM.max(live.until.len() * 2);
        }
        live.until.insert(id, now + Duration::from_millis(milliseconds));
    }

    /// Keeps the lease of a checkout from ending until its run ends.
    pub(super) fn hold(&self, id: u64) {
        self.live().held.insert(id);
    }

    /// Lets the leases of these checkouts end, because their run has ended.
    pub(super) fn release(&self, ids: impl IntoIterator<Item = u64>) {
        let mut live = self.live();
        for id in ids {
            live.held.remove(&id);
        }
    }

    /// Removes a checkout that has ended, or whose row is about to be written again. A run that holds it still does.
    pub(super) fn remove(&self, id: u64) {
        self.live().until.remove(&id);
    }

    /// Returns the milliseconds until the lease of a checkout of this process ends; `None` if it has ended. The lease of a
    /// checkout that a run holds has at least the shortest lease left.
    pub(super) fn remaining(&self, id: u64) -> Option<u64> {
        let live = self.live();
        let until = live.until.get(&id).copied();
        let left = until.map_or(Duration::ZERO, |until| until.saturating_duration_since(live.now()));
        let least = if live.held.contains(&id) { LEASE_MS.0.into() } else { 0 };
        u64::try_from(left.as_millis()).ok().map(|left| left.max(least)).filter(|left| *left > 0)
    }

    /// Forgets the clock: the workspace was opened, and another process may have seen another time.
    pub(super) fn opened(&self) {
        *self.clock() = Clock::default();
    }

    /// Removes all checkouts: a transaction was lost, and some of them with it.
    pub(super) fn clear(&self) {
        let mut live = self.live();
        live.until.clear();
        live.held.clear();
    }

    /// Records the current time. Returns the lease before which leases still have to be checked: after the workspace
    /// was opened, or the clock was set back.
    pub(super) fn observe_clock(&self, now: u64) -> Option<(u64, u64)> {
        let mut clock = self.clock();
        if clock.latest.is_none_or(|latest| now.saturating_add(TOLERANCE) < latest) {
            *clock = Clock { latest: Some(now), unchecked_before: Some((u64::MAX, u64::MAX)) };
        } else {
            clock.latest = clock.latest.max(Some(now));
        }
        clock.unchecked_before
    }

    /// Records that only the leases before this one still have to be checked; `None` if all are checked.
    pub(super) fn set_unchecked_before(&self, lease: Option<(u64, u64)>) {
        self.clock().unchecked_before = lease;
    }

    /// Whether leases still have to be checked against the clock.
    pub(super) fn has_unchecked_leases(&self) -> bool {
        self.clock().unchecked_before.is_some()
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
