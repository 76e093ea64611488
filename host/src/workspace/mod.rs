//! The folder that the data of runs lives in, `.ghost`, and the one way to it.
//!
//! All runs of a process share one open write transaction. A call changes it and returns; it is committed before anybody
//! outside could notice what the call did, and at the latest after 50 ms or 16 MiB. So a call costs no wait for the
//! disk, and nothing that was seen can be lost.

mod database;
mod folder;
mod lock;
mod session;
mod shared;
mod transaction;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use crate::Error;
pub(crate) use session::{Flushed, Listener, Lost, Session};
use shared::Shared;
pub(crate) use transaction::Tables;

/// Whether a workspace that is not there may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Create {
    /// The first call that needs it fails.
    Never,
    /// The first call that needs it makes it.
    AtFirstUse,
}

/// A workspace: found, opened and locked at the first call that needs it. Clones share it; the last one to go saves and
/// closes it.
#[derive(Clone)]
pub struct Workspace(Arc<Handle>);

/// What the flush thread does not keep alive.
struct Handle(Arc<Shared>);

impl Workspace {
    /// The workspace in a folder: the one that holds `.ghost`.
    pub fn at(folder: &Path, create: Create) -> Self {
        Self(Arc::new(Handle(Arc::new(Shared::new(folder, create)))))
    }

    /// The nearest folder with a workspace, from `start` upward; none when there is none. A workspace that is another
    /// user's is refused.
    pub fn find(start: &Path) -> Result<Option<PathBuf>, Error> {
        folder::find(start)
    }

    /// Makes a workspace in a folder. False when there is one already.
    pub fn init(folder: &Path) -> Result<bool, Error> {
        let made = folder::make(folder)?;
        Self::at(folder, Create::Never).0.0.open_now()?;
        Ok(made)
    }

    /// Puts on disk what is not yet.
    pub fn flush(&self) -> Result<(), Error> {
        self.0.0.flush()
    }

    /// Puts on disk what is not yet, and gives the workspace to whoever waits for it. The next call opens it again.
    pub fn close(&self) -> Result<(), Error> {
        self.0.0.close()
    }

    /// How many commits there were, of all runs of this process.
    pub fn commits(&self) -> u64 {
        self.0.0.commits()
    }

    /// Whether the first call of a run made the workspace.
    pub fn was_made(&self) -> bool {
        self.0.0.was_made()
    }

    /// The number of the commit that the writes so far wait for; none when all is on disk.
    pub(crate) fn outstanding(&self) -> Option<u64> {
        self.0.0.outstanding()
    }

    /// A run's way in. Its calls give up at the deadline; the listener is told of each commit, and of a loss.
    pub(crate) fn session(&self, deadline: Instant, listener: Listener) -> Session {
        Session::new(self.clone(), deadline, listener)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Err(error) = self.0.end() {
            tracing::error!(cause = ?std::error::Error::source(&error), "a workspace was not saved: {error}");
        }
    }
}
