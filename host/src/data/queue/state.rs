//! The state of the queues that the runs of a process share in memory: live checkouts and notifications.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Notifier, live_checkouts::LiveCheckouts};
use crate::folder::Location;

pub(crate) struct ProcessState {
    notifier: Notifier,
    pub(super) live_checkouts: LiveCheckouts,
    /// Whether other processes wait for the workspace.
    is_wanted: AtomicBool,
}

/// How much later a lease ends while other processes wait for the workspace: as long as a call waits for it, since the
/// renewal of the lease may be waiting.
const GRACE_MS: u64 = 5_000;

impl ProcessState {
    pub(crate) fn new(workspace: &Location) -> Self {
        let (live_checkouts, is_wanted) = Default::default();
        Self { notifier: Notifier::new(workspace), live_checkouts, is_wanted }
    }

    /// Records whether other processes wait for the workspace.
    pub(crate) fn set_wanted(&self, is_wanted: bool) {
        self.is_wanted.store(is_wanted, Ordering::Relaxed);
    }

    /// Returns how many milliseconds after its end a lease of another process ends its checkout.
    pub(super) fn grace(&self) -> u64 {
        if self.is_wanted.load(Ordering::Relaxed) { GRACE_MS } else { 0 }
    }

    /// Keeps the lease of a checkout from ending until `release`: a run of this process is working on the item.
    pub(crate) fn hold(&self, checkout: u64) {
        self.live_checkouts.hold(checkout);
    }

    /// Lets the leases of these checkouts end.
    pub(crate) fn release(&self, checkouts: impl IntoIterator<Item = u64>) {
        self.live_checkouts.release(checkouts);
    }

    /// Returns what notifies waiters of available items.
    pub(crate) fn notifier(&self) -> &Notifier {
        &self.notifier
    }

    /// Notifies waiters because an item has become pending.
    pub(super) fn made_available(&self) {
        self.notifier.notify_here();
    }

    pub(crate) fn opened(&self) {
        self.live_checkouts.opened();
    }

    pub(crate) fn committed(&self) {
        self.notifier.notify_other_processes();
    }

    /// Forgets the live checkouts, and notifies waiters: items that were taken in the lost transaction are pending
    /// again.
    pub(crate) fn lost(&self) {
        self.live_checkouts.clear();
        self.made_available();
    }
}

#[cfg(test)]
impl ProcessState {
    pub(crate) fn skip(&self, milliseconds: u64) {
        self.live_checkouts.skip(milliseconds);
    }
}
