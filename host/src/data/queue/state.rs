//! What the runs of a process share of the queues, apart from the tables.

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

    /// Notifies waiters of available items.
    pub(crate) fn notifier(&self) -> &Notifier {
        &self.notifier
    }

    /// An item has become pending.
    pub(super) fn made_available(&self) {
        self.notifier.notify_here();
    }

    pub(crate) fn opened(&self) {
        self.live_checkouts.opened();
    }

    pub(crate) fn committed(&self) {
        self.notifier.notify_other_processes();
    }

    /// Checkouts and pending items of the lost transaction are not known any more.
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
