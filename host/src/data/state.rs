//! The state of a workspace's data that a process keeps between transactions.

use std::sync::Arc;

use super::{Clock, queue};
use crate::folder::Location;

/// The state that a process keeps between transactions. The workspace notifies it when it is opened, and when a
/// transaction is committed or lost.
pub(crate) struct ProcessState {
    pub(super) clock: Clock,
    pub(super) queue: Arc<queue::ProcessState>,
}

impl ProcessState {
    pub(crate) fn new(workspace: &Location, clock: Clock) -> Self {
        Self { clock, queue: Arc::new(queue::ProcessState::new(workspace)) }
    }

    /// Returns the state of the queues.
    pub(crate) fn queue(&self) -> &Arc<queue::ProcessState> {
        &self.queue
    }

    /// Notifies it that this process has opened the workspace, which another process may have changed before.
    pub(crate) fn opened(&self) {
        self.queue.opened();
    }

    /// Notifies it that the open transaction was committed.
    pub(crate) fn committed(&self) {
        self.queue.committed();
    }

    /// Notifies it that the open transaction was discarded.
    pub(crate) fn lost(&self) {
        self.queue.lost();
    }
}
