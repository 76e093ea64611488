//! The state of the queues that the runs of a process share in memory: live checkouts and notifications.

use super::{Notifier, live_checkouts::LiveCheckouts};
use crate::folder::Location;

pub(crate) struct ProcessState {
    notifier: Notifier,
    pub(super) live_checkouts: LiveCheckouts,
}

impl ProcessState {
    pub(crate) fn new(workspace: &Location) -> Self {
        Self { notifier: Notifier::new(workspace), live_checkouts: LiveCheckouts::default() }
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
