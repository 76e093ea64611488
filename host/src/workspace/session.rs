//! One run's way into a workspace.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{Tables, Workspace};
use crate::Error;

/// Told of each commit by its number, and of the loss of what was not committed.
pub(crate) type Listener = Arc<dyn Fn(Flushed) + Send + Sync>;

/// What became of the writes that were not on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flushed {
    /// All up to this commit are.
    Committed(u64),
    /// They are given up.
    Lost,
}

/// What a run lost.
#[derive(Debug)]
pub(crate) struct Lost {
    /// How many of its calls were not saved.
    pub(crate) calls: u64,
    /// Why.
    pub(crate) message: String,
}

/// One run's way in: counts what it has written and is not on disk yet.
pub(crate) struct Session {
    workspace: Workspace,
    deadline: Instant,
    /// Kept alive here: the workspace holds it weakly.
    _listener: Listener,
    /// The number of the commit that the calls counted here wait for.
    commit: u64,
    calls: u64,
}

impl Session {
    pub(super) fn new(workspace: Workspace, deadline: Instant, listener: Listener) -> Self {
        workspace.0.0.listen(&listener);
        Self { workspace, deadline, _listener: listener, commit: 0, calls: 0 }
    }

    /// A call that reads.
    pub(crate) fn read<T>(&mut self, f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>) -> Result<T, Error> {
        self.refuse_after_loss()?;
        self.workspace.0.0.call(self.deadline, f).map(|(answer, _)| answer)
    }

    /// A call that writes: whole, or not at all.
    pub(crate) fn write<T>(&mut self, f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>) -> Result<T, Error> {
        self.refuse_after_loss()?;
        let (answer, commit) = self.workspace.0.0.call(self.deadline, f)?;
        if commit != self.commit {
            (self.commit, self.calls) = (commit, 0);
        }
        self.calls += 1;
        Ok(answer)
    }

    /// Whether the run wrote something that is not on disk, as far as it knows.
    pub(crate) fn has_unsaved(&self) -> bool {
        self.calls > 0
    }

    /// Puts on disk what the run wrote. It waits for the disk.
    pub(crate) fn finish(&mut self) -> Result<(), Lost> {
        if self.workspace.outstanding() == Some(self.commit) {
            let _told = self.workspace.flush(); // a loss is told below, with its count
        }
        match self.workspace.0.0.loss(self.commit) {
            Some(message) if self.calls > 0 => Err(Lost { calls: self.calls, message }),
            _ => Ok(()),
        }
    }

    /// A run whose writes are lost can't go on: what it does next may rest on them.
    fn refuse_after_loss(&self) -> Result<(), Error> {
        match self.workspace.0.0.loss(self.commit) {
            Some(message) if self.calls > 0 => Err(Error::ending(message)),
            _ => Ok(()),
        }
    }
}

/// How long a write may wait for the disk.
pub(super) const FLUSH_AFTER: Duration = Duration::from_millis(50);
/// How much may wait for the disk.
pub(super) const FLUSH_BYTES: usize = 16 << 20;
