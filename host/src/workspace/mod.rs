//! The folder that the data of runs lives in, `.ghost`, and the one way to it.
//!
//! All runs of a process share one open write transaction. A call changes it and returns; it is committed before anybody
//! outside could notice what the call did, and at the latest after 50 ms or 16 MiB. So a call costs no wait for the
//! disk, and nothing that was seen can be lost.
//!
//! ```text
//! Session ─ call ─► Shared ─► Open ─► Transaction ─► Tables ─► g::store …
//!                     ▲ flush: commits in time
//! ```

mod backup;
mod check;
mod compact;
#[cfg(test)]
mod crash_test;
#[cfg(test)]
mod damage_test;
mod database;
mod disk;
mod failure;
#[cfg(test)]
mod fault_test;
mod flush;
mod folder;
mod info;
#[cfg(test)]
mod kill_test;
mod lease;
mod open;
#[cfg(test)]
mod operation;
mod quota;
#[cfg(test)]
mod recorder;
mod restore;
mod session;
mod settle;
mod shared;
mod table;
mod tenure;
#[cfg(test)]
mod tests;
mod transaction;

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use crate::{
    Error,
    folder::{Location, Trust},
    g::queue,
    index::Indexing,
};
pub use backup::Existing;
pub use check::Problems;
pub use compact::Compacted;
pub(crate) use failure::failed;
pub(crate) use folder::{SECRETS, of as location};
pub use info::{CollectionInfo, Info};
pub(crate) use session::{Flushed, Listener, Lost, Session, Unsaved};
use shared::Shared;
pub(crate) use table::{Dirty, Opening, Table};
pub(crate) use transaction::Tables;

/// Later than any call: who waits for another process gives up after 5 s by itself.
const NO_DEADLINE: Duration = Duration::from_secs(365 * 24 * 3_600);

/// Whether a workspace that is not there may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Create {
    /// The first call that needs it fails.
    Never,
    /// The first call that needs it makes it.
    AtFirstUse,
}

/// A workspace: opened and locked at the first call that needs it. Clones share it; the last one to go saves and closes
/// it.
#[derive(Clone)]
pub struct Workspace(Arc<Handle>);

/// What the flush thread does not keep alive.
struct Handle(Arc<Shared>);

impl Workspace {
    /// The workspace in a folder: the one that holds `.ghost`. Nothing is opened yet. A relative path is that of the moment.
    /// Clones share the workspace; two of one folder take turns, as two processes do.
    ///
    /// Whoever names the folder trusts what it holds: `.ghost` may be a link or another user's. In it nothing is followed.
    pub fn at(folder: &Path, create: Create) -> Self {
        Self::with_clock(folder, create, transaction::system_clock())
    }

    /// The same for a folder that nobody named, such as one that was found ([`Workspace::find`]): a `.ghost` that is a link or
    /// another user's is refused when it is opened.
    pub fn found(folder: &Path, create: Create) -> Self {
        Self::new(folder, Trust::Found, create, transaction::system_clock())
    }

    pub(crate) fn with_clock(folder: &Path, create: Create, clock: transaction::Clock) -> Self {
        Self::new(folder, Trust::Named, create, clock)
    }

    fn new(folder: &Path, trust: Trust, create: Create, clock: transaction::Clock) -> Self {
        Self(Arc::new(Handle(Arc::new(Shared::new(folder, trust, create, clock)))))
    }

    /// The nearest folder with a workspace, from `start` upward; none when there is none. A workspace that is a link or
    /// another user's is refused.
    pub fn find(start: &Path) -> Result<Option<PathBuf>, Error> {
        folder::find(start)
    }

    /// Whether it is there; it is not opened, so it may be in use.
    pub fn exists(&self) -> Result<bool, Error> {
        folder::holds_workspace(self.location())
    }

    /// Makes a workspace in a folder. False when there is one already, which can be opened; one that is a link or another
    /// user's is refused.
    pub fn init(folder: &Path) -> Result<bool, Error> {
        let workspace = Self::found(folder, Create::AtFirstUse);
        workspace.shared().open_now(Instant::now() + Duration::from_secs(60))?;
        Ok(workspace.was_made())
    }

    /// Puts on disk what is not yet.
    pub fn flush(&self) -> Result<(), Error> {
        self.shared().flush()
    }

    /// Puts on disk what is not yet, and gives the workspace to whoever waits for it. The next call opens it again.
    pub fn close(&self) -> Result<(), Error> {
        self.shared().close()
    }

    /// Once `flag` is set, calls that wait for another process fail with `BUSY` within 50 ms, where they would wait for
    /// 5 s: so a program can end when it is told to. It holds for all clones; a second flag changes nothing.
    pub fn interrupt_when(&self, flag: Arc<AtomicBool>) {
        self.shared().interrupt_when(flag);
    }

    /// Tells somebody of an index that takes in documents, for as long as a call waits for it; on the thread of the call. It
    /// holds for all clones; a second observer changes nothing.
    pub fn observe_indexing(&self, observer: impl Fn(Indexing) + Send + Sync + 'static) {
        self.shared().indexes().observe(Box::new(observer));
    }

    /// How many commits there were, of all runs of this process.
    pub fn commits(&self) -> u64 {
        self.shared().commits()
    }

    /// Whether the first call of a run made the workspace.
    pub fn was_made(&self) -> bool {
        self.shared().was_made()
    }

    /// The number of the commit that the changes so far wait for; none when all is on disk.
    pub(crate) fn outstanding(&self) -> Option<u64> {
        self.shared().outstanding()
    }

    /// Opens the workspace, if it is not; waits for another process up to the deadline.
    pub(crate) fn open(&self, deadline: Instant) -> Result<(), Error> {
        self.shared().open_now(deadline)
    }

    /// What queues share beside the tables.
    pub(crate) fn queue(&self) -> &Arc<queue::Process> {
        self.shared().queue()
    }

    /// A run's way in. Its calls give up at the deadline; the listener is told what becomes of what is not on disk.
    pub(crate) fn session(&self, deadline: Instant, listener: Listener) -> Session {
        Session::new(self.clone(), deadline, listener)
    }

    /// The way in for a program that is no script: it is told of a loss when it saves.
    pub(crate) fn session_of_program(&self) -> Session {
        self.session(Instant::now() + NO_DEADLINE, Box::new(|_| {}))
    }

    /// Where it lies.
    pub(crate) fn location(&self) -> &Location {
        self.shared().location()
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.0.0
    }
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace").field("folder", &self.shared().folder()).finish_non_exhaustive()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // Nobody is left to be told but the log.
        if let Err(error) = self.0.close() {
            tracing::error!(cause = ?std::error::Error::source(&error), "a workspace was not saved: {error}");
        }
        self.0.indexes().close();
    }
}

#[cfg(test)]
impl Workspace {
    /// Commits when it is asked to, not when time has passed: a test that counts can't depend on the machine's pace.
    pub(crate) fn without_hurry(self) -> Self {
        self.shared().state().within = Duration::from_secs(3_600);
        self
    }

    /// Gives up what is not on disk, as a killed process would.
    pub(crate) fn crash(&self) {
        let open = self.shared().state().open.take();
        open.into_iter().for_each(open::Open::leave);
        self.shared().indexes().crash();
    }
}
