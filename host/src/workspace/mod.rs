//! The folder `.ghost`, and the only access to the data in it.
//!
//! All runs of a process share one open write transaction. A call changes the tables in it and returns. The transaction
//! is committed before any effect of the call becomes visible outside, and at the latest after 50 ms or 16 MiB. So a
//! call does not wait for the disk, and no visible effect can be lost.
//!
//! ```text
//! Session ─ call ─► Shared ─► Open ─► Transaction ─► data::Tables
//!                     ▲ flush: commits in time
//! ```

mod backup;
mod check;
mod commit;
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
mod open;
mod process_lock;
mod restore;
mod schedule;
mod session;
mod shared;
#[cfg(test)]
mod tests;
mod transaction;
mod yield_policy;

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use tokio::task::spawn_blocking;

pub use crate::data::Problems;
use crate::{
    Error, ErrorCode,
    data::{Clock, ProcessState, system_clock},
    folder::{Location, Trust},
    index::Indexing,
};
pub use backup::Existing;
pub use compact::Compacted;
pub(crate) use folder::{SECRETS, of as location};
pub use info::{CollectionInfo, Info};
use session::Kind;
pub(crate) use session::{Listener, LostCalls, Session, TransactionEnd, Unsaved, WaitingCall};
use shared::Shared;

/// Longer than any program runs: the calls of a program's session have no deadline of their own. A call waits for
/// another process for at most 5 s.
const NO_DEADLINE: Duration = Duration::from_secs(365 * 24 * 3_600);

/// Whether a workspace that does not exist may be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Create {
    /// The first call that needs the workspace fails.
    Never,
    /// The first call that needs the workspace creates it.
    AtFirstUse,
}

/// A workspace. The first call that needs it opens and locks it. Clones share it; dropping the last one saves and
/// closes it.
#[derive(Clone)]
pub struct Workspace(Arc<Handle>);

/// The handle that all clones share. The flush thread has none, so it does not keep the workspace open.
struct Handle(Arc<Shared>);

impl Workspace {
    /// Returns the workspace of a folder that contains `.ghost`, without opening it. A relative path is resolved at
    /// once. Clones share the workspace; two workspaces of the same folder take turns, as two processes do.
    ///
    /// A caller that names the folder trusts it: `.ghost` may be a link, or belong to another user. Links in it are not
    /// followed.
    pub fn at(folder: &Path, create: Create) -> Self {
        Self::with_clock(folder, create, system_clock())
    }

    /// As [`Workspace::at`], for a folder that was found ([`Workspace::find`]) and not named: a `.ghost` that is a link
    /// or belongs to another user is refused when it is opened.
    pub fn found(folder: &Path, create: Create) -> Self {
        Self::new(folder, Trust::Found, create, system_clock())
    }

    pub(crate) fn with_clock(folder: &Path, create: Create, clock: Clock) -> Self {
        Self::new(folder, Trust::Named, create, clock)
    }

    fn new(folder: &Path, trust: Trust, create: Create, clock: Clock) -> Self {
        Self(Arc::new(Handle(Arc::new(Shared::new(folder, trust, create, clock)))))
    }

    /// Returns the nearest folder with a workspace, from `start` upward. Fails if it is a link or belongs to another
    /// user.
    pub fn find(start: &Path) -> Result<Option<PathBuf>, Error> {
        folder::find(start)
    }

    /// Whether the workspace exists. Does not open it, so it may be in use.
    pub fn exists(&self) -> Result<bool, Error> {
        folder::holds_workspace(self.location())
    }

    /// Creates a workspace in a folder. Returns false if a workspace already exists and can be opened. Fails if it is a
    /// link or belongs to another user.
    pub fn init(folder: &Path) -> Result<bool, Error> {
        let workspace = Self::found(folder, Create::AtFirstUse);
        workspace.shared().open_now(Instant::now() + Duration::from_secs(60))?;
        Ok(workspace.was_made())
    }

    /// Commits all unsaved changes.
    pub fn flush(&self) -> Result<(), Error> {
        self.shared().flush()
    }

    /// Commits all unsaved changes, and releases the workspace to other processes. The next call opens it again.
    pub fn close(&self) -> Result<(), Error> {
        self.shared().close()
    }

    /// Once `flag` is set, calls that wait for another process fail with `BUSY` within 50 ms instead of 5 s, so that a
    /// program can end when it is interrupted. Applies to all clones; a second flag is ignored.
    pub fn interrupt_when(&self, flag: Arc<AtomicBool>) {
        self.shared().interrupt_when(flag);
    }

    /// Reports the progress of an index that is being updated, on the thread of the call that waits for it. Applies to
    /// all clones; a second observer is ignored.
    pub fn observe_indexing(&self, observer: impl Fn(Indexing) + Send + Sync + 'static) {
        self.shared().indexes().observe(Box::new(observer));
    }

    /// Returns the number of commits of this process.
    pub fn commits(&self) -> u64 {
        self.shared().commits()
    }

    /// Whether a call of this process created the workspace.
    pub fn was_made(&self) -> bool {
        self.shared().was_made()
    }

    /// Returns the number of the transaction with unsaved changes; `None` if everything is on disk.
    pub(crate) fn outstanding(&self) -> Option<u64> {
        self.shared().outstanding()
    }

    /// Opens the workspace, if it is not open. Waits for another process until the deadline.
    pub(crate) fn open(&self, deadline: Instant) -> Result<(), Error> {
        self.shared().open_now(deadline)
    }

    /// As `open`, on a thread that may block.
    pub(crate) async fn open_in_background(&self, deadline: Instant) -> Result<(), Error> {
        let workspace = self.clone();
        match spawn_blocking(move || workspace.open(deadline)).await {
            Ok(opened) => opened,
            Err(panicked) => Err(Error::new(ErrorCode::Internal, "the workspace was not opened").because(panicked)),
        }
    }

    /// Whether this process has the workspace open. This may change at any time.
    pub(crate) fn is_open(&self) -> bool {
        self.shared().is_open()
    }

    /// Returns the state of the data that this process keeps between transactions.
    pub(crate) fn data(&self) -> &Arc<ProcessState> {
        self.shared().data()
    }

    /// Returns a session for a run. Its calls stop waiting at the deadline; the listener is notified of commits and
    /// losses.
    pub(crate) fn session(&self, deadline: Instant, listener: Listener) -> Session {
        Session::new(self.clone(), deadline, listener, Kind::Run)
    }

    /// Returns a session outside of a run, without a deadline and without a listener: a lost transaction is reported by
    /// `save`, `finish` or the next call.
    pub(crate) fn session_of_program(&self) -> Session {
        self.session_of_program_until(Instant::now() + NO_DEADLINE)
    }

    /// As `session_of_program`, with a deadline for its calls.
    pub(crate) fn session_of_program_until(&self, deadline: Instant) -> Session {
        Session::new(self.clone(), deadline, Box::new(|_| {}), Kind::Program)
    }

    /// Returns the location of `.ghost`.
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
        // The error can't be returned to any caller.
        if let Err(error) = self.0.close() {
            tracing::error!(cause = ?std::error::Error::source(&error), "a workspace was not saved: {error}");
        }
        self.0.indexes().close();
    }
}

#[cfg(test)]
impl Workspace {
    /// Disables commits after 50 ms: a test that counts commits must not depend on the machine's speed.
    pub(crate) fn without_hurry(self) -> Self {
        self.shared().state().schedule.set_flush_interval(Duration::from_secs(3_600));
        self
    }

    /// Discards all unsaved changes, as a killed process would.
    pub(crate) fn crash(&self) {
        let open = self.shared().take_open(&mut self.shared().state());
        open.into_iter().for_each(open::Open::release);
        self.shared().indexes().crash();
    }
}
