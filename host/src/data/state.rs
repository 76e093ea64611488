//! What a process keeps of a workspace's data from one transaction to the next.

use std::sync::Arc;

use super::{Clock, queue};
use crate::folder::Location;

/// The workspace reports to it when it opens, commits or loses a transaction.
pub(crate) struct ProcessState {
    pub(super) clock: Clock,
    pub(super) queue: Arc<queue::ProcessState>,
}

impl ProcessState {
    pub(crate) fn new(workspace: &Location, clock: Clock) -> Self {
        Self { clock, queue: Arc::new(queue::ProcessState::new(workspace)) }
    }

    /// The state of the queues.
    pub(crate) fn queue(&self) -> &Arc<queue::ProcessState> {
        &self.queue
    }

    /// This process has opened the workspace. Another process may have changed it before.
    pub(crate) fn opened(&self) {
        self.queue.opened();
    }

    /// The open transaction was committed.
    pub(crate) fn committed(&self) {
        self.queue.committed();
    }

    /// The open transaction was discarded.
    pub(crate) fn lost(&self) {
        self.queue.lost();
    }
}
