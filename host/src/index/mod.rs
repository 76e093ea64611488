//! Full-text indexes, derived from the documents of the database: losing an index loses no data.
//!
//! ```text
//! documents ──► OpenIndex ──► View ── find ──► names of documents
//! ```
//!
//! Nothing here reads the database: `indexing` applies its log to the index before it returns a view for a query.

mod checksum;
mod compile;
mod directory;
mod file;
mod flat;
mod fuzzy;
mod highlight;
mod open_index;
#[cfg(test)]
mod open_index_test;
mod phrase;
mod range;
mod regex;
mod scanner;
mod schema;
mod sloppy_frequency;
mod small_batch;
mod stop;
mod term_expansion;
mod tokens;
mod top_k;
mod trust_marker;
mod watch;

use std::{
    io::{self, ErrorKind},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use tantivy::{Searcher, TantivyError};

use crate::{
    Error, ErrorCode,
    data::{IndexedNamespace, reason},
    folder::{Folder, Location, refusal},
};
pub use highlight::Marks;
pub(crate) use open_index::OpenIndex;
use schema::Fields;
pub(crate) use stop::Stop;
pub(crate) use top_k::Order;

/// The folder of all indexes, in `.ghost`.
pub(crate) const FOLDER: &str = "index";
/// How long a query waits for a query of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
const RETRY_DELAY: Duration = Duration::from_millis(1);

/// The progress of an index that is being updated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexing {
    /// The update begins, with about this many documents.
    Begun(u64),
    /// This many more documents are indexed.
    Progress(u64),
    /// The update has succeeded or failed.
    Ended,
}

/// Receives the progress, on the thread of the call that waits for the update.
pub(crate) type Observer = Box<dyn Fn(Indexing) + Send + Sync>;

/// Why work on an index failed, which determines whether the index is rebuilt.
pub(crate) enum Problem {
    /// The call fails with this error.
    Call(Error),
    /// The index failed, and has to be rebuilt.
    Index(TantivyError),
}

impl Problem {
    pub(crate) fn damage(what: &str) -> Self {
        Self::Index(TantivyError::InternalError(what.into()))
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::Call(error)
    }
}

impl From<TantivyError> for Problem {
    fn from(error: TantivyError) -> Self {
        Self::Index(error)
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Call(error) => error,
            Problem::Index(error) => failed(error),
        }
    }
}

/// The indexes of a workspace.
pub(crate) struct Indexes {
    search: Index,
    store: Index,
    observer: Arc<OnceLock<Observer>>,
}

impl Indexes {
    pub(crate) fn in_workspace(workspace: &Location) -> Self {
        let observer = Arc::default();
        let index = |name, lock| Index::new(workspace.clone(), name, lock, Arc::clone(&observer));
        Self { search: index("search", "search.lock"), store: index("store", "store.lock"), observer }
    }

    /// The index of a namespace.
    pub(crate) fn of(&self, namespace: IndexedNamespace) -> &Index {
        match namespace {
            IndexedNamespace::Search => &self.search,
            IndexedNamespace::Store => &self.store,
        }
    }

    /// The size of their files, in bytes.
    pub(crate) fn bytes(&self) -> Result<u64, Error> {
        Ok(self.search.bytes()? + self.store.bytes()?)
    }

    /// Reports the progress of updates. A second observer is ignored.
    pub(crate) fn observe(&self, observer: Observer) {
        let _ = self.observer.set(observer);
    }

    /// Releases the indexes to other processes. Waits for merges.
    pub(crate) fn close(&self) {
        self.search.close();
        self.store.close();
    }

    /// Closes the indexes as a killed process would.
    #[cfg(test)]
    pub(crate) fn crash(&self) {
        for index in [&self.search, &self.store] {
            abandon(&mut index.open_index.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Releases the indexes to other processes, without waiting for merges.
    pub(crate) fn close_soon(&self) {
        self.search.close_soon();
        self.store.close_soon();
    }
}

/// The index of one namespace in one workspace, open while it is used.
pub(crate) struct Index {
    workspace: Location,
    /// The name of its folder, and the name of its lock next to it.
    name: &'static str,
    lock: &'static str,
    open_index: Mutex<Option<OpenIndex>>,
    /// The workspace was released while the index was in use.
    is_wanted: AtomicBool,
    closing: Mutex<Option<JoinHandle<()>>>,
    observer: Arc<OnceLock<Observer>>,
}

/// A snapshot of an index.
pub(crate) struct View {
    searcher: Searcher,
    fields: Fields,
}

impl View {
    pub(crate) fn documents(&self) -> u64 {
        self.searcher.num_docs()
    }
}

impl Index {
    fn new(workspace: Location, name: &'static str, lock: &'static str, observer: Arc<OnceLock<Observer>>) -> Self {
        let (open_index, is_wanted, closing) = Default::default();
        Self { workspace, name, lock, open_index, is_wanted, closing, observer }
    }

    /// The folder of all indexes.
    fn indexes(&self) -> io::Result<Folder> {
        self.workspace.open()?.make_folder(FOLDER)
    }

    /// Reports progress to the observer.
    pub(crate) fn report(&self, progress: Indexing) {
        if let Some(observer) = self.observer.get() {
            observer(progress);
        }
    }

    /// The size of its files, in bytes.
    pub(crate) fn bytes(&self) -> Result<u64, Error> {
        let size = || -> io::Result<u64> {
            let indexes = self.workspace.open()?.folder(FOLDER)?;
            match indexes.has_file(self.name) {
                // A file in its place, which is removed when the index is opened.
                Ok(true) => Ok(0),
                _ => indexes.folder(self.name)?.bytes(),
            }
        };
        let size = size().or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(0) } else { Err(error) });
        size.map_err(|error| failed(error.into()))
    }

    /// Whether all files match their checksums. False also if they can't be read. An index that the next query rebuilds
    /// anyway is not read.
    pub(crate) fn is_intact(&self, until: Instant) -> Result<bool, Error> {
        let mut slot = self.slot_until(until)?;
        close(slot.take());
        self.wait_until_closed(until)?;
        let indexes = match self.workspace.open().and_then(|workspace| workspace.folder(FOLDER)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
            indexes => indexes.map_err(|error| failed(error.into()))?,
        };
        let _lock = open_index::lock(&indexes, self.lock, until)?;
        open_index::is_intact(&indexes, self.name).map_err(failed)
    }

    fn close(&self) {
        let open_index = self.open_index.lock().unwrap_or_else(PoisonError::into_inner).take();
        close(open_index);
        let closing = self.closing.lock().unwrap_or_else(PoisonError::into_inner).take();
        if closing.is_some_and(|closing| closing.join().is_err()) {
            tracing::warn!("closing an index ended with a panic");
        }
    }

    fn close_soon(&self) {
        self.is_wanted.store(true, Ordering::Release);
        // A run that uses the index closes it.
        if let Ok(mut slot) = self.open_index.try_lock() {
            self.close_if_wanted(&mut slot);
        }
    }

    /// Takes the index for one run, as soon as no other run of this process uses it.
    pub(crate) fn take(&self, until: Instant) -> Result<InUse<'_>, Error> {
        Ok(InUse { index: self, slot: self.slot_until(until)? })
    }

    /// Closes the index after use, if another process waits for it.
    fn close_after_use(&self, slot: &mut Option<OpenIndex>) {
        if slot.as_ref().is_some_and(OpenIndex::is_wanted) {
            self.is_wanted.store(true, Ordering::Release);
        }
        self.close_if_wanted(slot);
    }

    fn close_if_wanted(&self, slot: &mut Option<OpenIndex>) {
        if !self.is_wanted.swap(false, Ordering::AcqRel) {
            return;
        }
        let Some(open_index) = slot.take() else { return };
        self.on_a_thread(move || close(Some(open_index)));
    }

    /// Closes an index without committing, and releases its lock when its merges have ended, on another thread.
    fn abandon_soon(&self, slot: &mut Option<OpenIndex>) {
        if let Some(open_index) = slot.take() {
            self.on_a_thread(move || drop(open_index.abandon()));
        }
    }

    fn on_a_thread(&self, end: impl FnOnce() + Send + 'static) {
        match thread::Builder::new().name("ghost-index".into()).spawn(end) {
            Ok(closing) => *self.closing.lock().unwrap_or_else(PoisonError::into_inner) = Some(closing),
            Err(error) => {
                tracing::warn!(%error, "the thread that closes an index can't be started: its merges are discarded")
            }
        }
    }

    /// Returns the slot of the open index as soon as no other run uses it.
    fn slot_until(&self, until: Instant) -> Result<MutexGuard<'_, Option<OpenIndex>>, Error> {
        loop {
            match self.open_index.try_lock() {
                Ok(slot) => return Ok(slot),
                Err(TryLockError::Poisoned(poisoned)) => {
                    // It panicked: its state is not trusted.
                    let mut slot = poisoned.into_inner();
                    abandon(&mut slot);
                    self.open_index.clear_poison();
                    return Ok(slot);
                }
                Err(TryLockError::WouldBlock) if Instant::now() >= until => return Err(out_of_time()),
                Err(TryLockError::WouldBlock) => thread::sleep(RETRY_DELAY),
            }
        }
    }

    /// Waits for the merges of an index that this process is closing.
    fn wait_until_closed(&self, until: Instant) -> Result<(), Error> {
        let is_closed = || {
            let closing = self.closing.lock().unwrap_or_else(PoisonError::into_inner);
            closing.as_ref().is_none_or(JoinHandle::is_finished)
        };
        while !is_closed() {
            if Instant::now() >= until {
                return Err(out_of_time());
            }
            thread::sleep(RETRY_DELAY);
        }
        Ok(())
    }

    /// Returns the open index; opens it if necessary.
    fn opened<'s>(&self, slot: &'s mut Option<OpenIndex>, until: Instant) -> Result<&'s mut OpenIndex, Error> {
        match slot {
            Some(open_index) => Ok(open_index),
            none => {
                self.wait_until_closed(until)?;
                let indexes = self.indexes().map_err(|error| failed(error.into()))?;
                let lock = open_index::lock(&indexes, self.lock, until.min(Instant::now() + BUSY_TIMEOUT))?;
                Ok(none.insert(OpenIndex::open(&indexes, self.name, lock).map_err(failed)?))
            }
        }
    }
}

/// An index while one run uses it.
pub(crate) struct InUse<'i> {
    index: &'i Index,
    slot: MutexGuard<'i, Option<OpenIndex>>,
}

impl InUse<'_> {
    /// Returns the open index; opens it if necessary.
    pub(crate) fn open_index(&mut self, until: Instant) -> Result<&mut OpenIndex, Error> {
        self.index.opened(&mut self.slot, until)
    }

    /// Removes the index, under its lock. It is empty when it is opened next.
    pub(crate) fn remove(&mut self) -> Result<(), Error> {
        let _lock = self.slot.take().map(OpenIndex::abandon);
        let removed = self.index.indexes().and_then(|indexes| indexes.remove_all(self.index.name));
        removed.map_err(|error| failed(error.into()))
    }

    /// Closes the index and discards uncommitted changes, without waiting for its merges.
    pub(crate) fn abandon(&mut self) {
        self.index.abandon_soon(&mut self.slot);
    }

    /// Closes the index if another process waits for it.
    pub(crate) fn close_if_wanted(&mut self) {
        self.index.close_after_use(&mut self.slot);
    }
}

/// Closes an index without committing, and releases its lock.
fn abandon(slot: &mut Option<OpenIndex>) {
    drop(slot.take().map(OpenIndex::abandon));
}

fn close(open_index: Option<OpenIndex>) {
    if let Some(Err(error)) = open_index.map(OpenIndex::close) {
        tracing::warn!(%error, "an index was not closed, and is verified when it is opened next");
    }
}

/// The index can't be written or read.
pub(crate) fn failed(error: TantivyError) -> Error {
    if let Some(refused) = refused(&error) {
        return Error::new(ErrorCode::NoWorkspace, format!("the search index can't be opened: {refused}"))
            .because(error);
    }
    let why = io_reason(&error).unwrap_or_else(|| "its files can't be written or read".into());
    Error::new(ErrorCode::Unavailable, format!("the search index failed: {why}; no document is lost")).because(error)
}

/// Returns the reason of the system why a file can't be written or read, if there is one.
fn io_reason(error: &TantivyError) -> Option<String> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = system_error(error) {
            return Some(reason(error));
        }
        cause = error.source();
    }
    // Tantivy keeps only the text of some errors.
    let is_full = error.to_string().contains("No space left");
    is_full.then(|| reason(&ErrorKind::StorageFull.into()))
}

/// Returns an error of the system; one of a missing file says nothing to a user.
fn system_error<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e io::Error> {
    let shared = error.downcast_ref::<Arc<io::Error>>().map(|error| &**error);
    let error = shared.or_else(|| error.downcast_ref::<io::Error>())?;
    (error.kind() != ErrorKind::NotFound && error.raw_os_error().is_some()).then_some(error)
}

/// Returns which entry was refused because it is not a file or folder of this user.
fn refused(error: &TantivyError) -> Option<String> {
    let refused = match error {
        TantivyError::IoError(error) => refusal(&**error),
        error => refusal(error),
    };
    refused.map(ToString::to_string)
}

/// The run's time is over.
pub(crate) fn out_of_time() -> Error {
    Error::new(ErrorCode::Timeout, "the run's time ended before the search index was up to date")
}
