//! Full-text indexes over what the database holds: derived, so that losing one costs time and no data.
//!
//! ```text
//! database ── log ──► update ──► engine ──► search ──► names of documents
//! ```
//!
//! A change is logged in the transaction that makes it ([`Log`]). A query first takes in what is logged, whoever logged
//! it, and then looks into the index. One that is missing, damaged or doubted is made anew from the documents.

mod checksum;
mod compile;
mod directory;
mod engine;
#[cfg(test)]
mod engine_test;
mod expand;
mod few;
mod file;
mod flat;
mod log;
mod mark;
mod marks;
mod moves;
mod near;
mod phrase;
mod range;
mod regex;
mod scanner;
mod schema;
mod stop;
mod tokens;
mod top;
mod update;
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
    folder::{Folder, Location, refusal},
    workspace::Tables,
};
use engine::Engine;
pub(crate) use log::{Definition, Log, check};
pub use marks::Marks;
use schema::Fields;
pub(crate) use stop::Stop;
pub(crate) use top::Order;

/// The folder of all indexes, in the workspace's.
const FOLDER: &str = "index";
/// How long a query waits for one of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(1);

/// The number of a collection, and the JSON of a document in it.
pub(crate) type Numbered = (u64, String);

/// What an index is made of: functions of the namespace that has the documents.
pub(crate) struct Source {
    pub(crate) log: for<'a, 't> fn(&'a mut Tables<'t>) -> &'a mut Log<'t>,
    /// The document with these names, if it is there.
    pub(crate) document: fn(&mut Tables<'_>, &str, &str) -> Result<Option<Numbered>, Error>,
    /// Keys and JSON of a collection's documents after a key, a step of them, with the collection's number.
    pub(crate) step: fn(&mut Tables<'_>, &str, &str) -> Result<Option<Step>, Error>,
    /// The collections that belong into the index.
    pub(crate) collections: fn(&mut Tables<'_>) -> Result<Vec<String>, Error>,
    /// How many documents a collection holds.
    pub(crate) count: fn(&mut Tables<'_>, &str) -> Result<u64, Error>,
}

/// What an index that takes in documents tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexing {
    /// It begins with about so many.
    Begun(u64),
    /// It has taken in so many more.
    TookIn(u64),
    /// It is done, or gave up.
    Ended,
}

/// Is told, on the thread of the call that waits for it.
pub(crate) type Observer = Box<dyn Fn(Indexing) + Send + Sync>;

/// Some documents of a collection.
pub(crate) struct Step {
    pub(crate) number: u64,
    pub(crate) documents: Vec<(String, String)>,
}

/// The indexes of a workspace.
pub(crate) struct Indexes {
    pub(crate) search: Index,
    pub(crate) store: Index,
    observer: Arc<OnceLock<Observer>>,
}

impl Indexes {
    pub(crate) fn in_workspace(workspace: &Location) -> Self {
        let observer = Arc::default();
        let index = |name, lock| Index::new(workspace.clone(), name, lock, Arc::clone(&observer));
        Self { search: index("search", "search.lock"), store: index("store", "store.lock"), observer }
    }

    /// How many bytes their files are.
    pub(crate) fn bytes(&self) -> Result<u64, Error> {
        Ok(self.search.bytes()? + self.store.bytes()?)
    }

    /// Tells somebody of long work. The first one stays.
    pub(crate) fn observe(&self, observer: Observer) {
        let _ = self.observer.set(observer);
    }

    /// Gives the indexes to other processes. It waits for merges.
    pub(crate) fn close(&self) {
        self.search.close();
        self.store.close();
    }

    /// Leaves the indexes as a killed process would.
    #[cfg(test)]
    pub(crate) fn crash(&self) {
        for index in [&self.search, &self.store] {
            abandon(&mut index.engine.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Gives the indexes to other processes, without anybody waiting for merges.
    pub(crate) fn close_soon(&self) {
        self.search.close_soon();
        self.store.close_soon();
    }
}

/// The index of one namespace in one workspace, open while it is used.
pub(crate) struct Index {
    workspace: Location,
    /// The name of its folder, and that of its lock beside it.
    name: &'static str,
    lock: &'static str,
    engine: Mutex<Option<Engine>>,
    /// The workspace was given back while the index was in use.
    is_wanted: AtomicBool,
    closing: Mutex<Option<JoinHandle<()>>>,
    observer: Arc<OnceLock<Observer>>,
}

/// An index as it is at one time.
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
        let (engine, is_wanted, closing) = Default::default();
        Self { workspace, name, lock, engine, is_wanted, closing, observer }
    }

    /// The folder that its own is in.
    fn indexes(&self) -> io::Result<Folder> {
        self.workspace.open()?.make_folder(FOLDER)
    }

    fn tell(&self, news: Indexing) {
        if let Some(observer) = self.observer.get() {
            observer(news);
        }
    }

    /// How many bytes its files are.
    pub(crate) fn bytes(&self) -> Result<u64, Error> {
        let size = || -> io::Result<u64> {
            let indexes = self.workspace.open()?.folder(FOLDER)?;
            match indexes.has_file(self.name) {
                // Something else lies in its place, and will not for long.
                Ok(true) => Ok(0),
                _ => indexes.folder(self.name)?.bytes(),
            }
        };
        let size = size().or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(0) } else { Err(error) });
        size.map_err(|error| failed(error.into()))
    }

    fn close(&self) {
        let engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner).take();
        close(engine);
        let closing = self.closing.lock().unwrap_or_else(PoisonError::into_inner).take();
        if closing.is_some_and(|closing| closing.join().is_err()) {
            tracing::warn!("closing an index ended with a panic");
        }
    }

    fn close_soon(&self) {
        self.is_wanted.store(true, Ordering::Release);
        // Who works with it closes it then.
        if let Ok(mut slot) = self.engine.try_lock() {
            self.close_if_wanted(&mut slot);
        }
    }

    /// Closes the index after use, if somebody waits for it.
    fn give_way(&self, slot: &mut Option<Engine>) {
        if slot.as_ref().is_some_and(Engine::is_wanted) {
            self.is_wanted.store(true, Ordering::Release);
        }
        self.close_if_wanted(slot);
    }

    fn close_if_wanted(&self, slot: &mut Option<Engine>) {
        if !self.is_wanted.swap(false, Ordering::AcqRel) {
            return;
        }
        let Some(engine) = slot.take() else { return };
        self.on_a_thread(move || close(Some(engine)));
    }

    /// Gives up an engine, if there is one, and its lock as soon as its merges have ended, which nobody waits for.
    fn abandon_soon(&self, slot: &mut Option<Engine>) {
        if let Some(engine) = slot.take() {
            self.on_a_thread(move || drop(engine.abandon()));
        }
    }

    fn on_a_thread(&self, end: impl FnOnce() + Send + 'static) {
        match thread::Builder::new().name("ghost-index".into()).spawn(end) {
            Ok(closing) => *self.closing.lock().unwrap_or_else(PoisonError::into_inner) = Some(closing),
            Err(error) => tracing::warn!(%error, "there is no thread to close an index: its merges are given up"),
        }
    }

    /// The engine, when no other run works with it.
    fn slot_until(&self, until: Instant) -> Result<MutexGuard<'_, Option<Engine>>, Error> {
        loop {
            match self.engine.try_lock() {
                Ok(slot) => return Ok(slot),
                Err(TryLockError::Poisoned(poisoned)) => {
                    // It panicked: what it holds is not to be trusted.
                    let mut slot = poisoned.into_inner();
                    abandon(&mut slot);
                    self.engine.clear_poison();
                    return Ok(slot);
                }
                Err(TryLockError::WouldBlock) if Instant::now() >= until => return Err(out_of_time()),
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            }
        }
    }

    /// One that this process gave away waits for its merges before others can have it, this process too.
    fn wait_until_closed(&self, until: Instant) -> Result<(), Error> {
        let is_closed = || {
            let closing = self.closing.lock().unwrap_or_else(PoisonError::into_inner);
            closing.as_ref().is_none_or(JoinHandle::is_finished)
        };
        while !is_closed() {
            if Instant::now() >= until {
                return Err(out_of_time());
            }
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// The open engine; opens it if it is not.
    fn opened<'s>(&self, slot: &'s mut Option<Engine>, until: Instant) -> Result<&'s mut Engine, Error> {
        match slot {
            Some(engine) => Ok(engine),
            none => {
                self.wait_until_closed(until)?;
                let indexes = self.indexes().map_err(|error| failed(error.into()))?;
                let lock = engine::lock(&indexes, self.lock, until.min(Instant::now() + BUSY_TIMEOUT))?;
                Ok(none.insert(Engine::open(&indexes, self.name, lock).map_err(failed)?))
            }
        }
    }
}

/// Gives up an engine, if there is one, and its lock.
fn abandon(slot: &mut Option<Engine>) {
    drop(slot.take().map(Engine::abandon));
}

fn close(engine: Option<Engine>) {
    if let Some(Err(error)) = engine.map(Engine::close) {
        tracing::warn!(%error, "an index was not closed, and is checked when it is opened");
    }
}

/// The index can't be made or read.
fn failed(error: TantivyError) -> Error {
    if let Some(refused) = refused(&error) {
        return Error::new(ErrorCode::NoWorkspace, format!("the search index can't be opened: {refused}"))
            .because(error);
    }
    let full = error.to_string().contains("No space left");
    let why = if full { "the disk is full" } else { "its files can't be written or read" };
    Error::new(ErrorCode::Internal, format!("the search index failed: {why}")).because(error)
}

/// Which entry is no file or folder of the user, if that is what an error is about.
fn refused(error: &TantivyError) -> Option<String> {
    let refused = match error {
        TantivyError::IoError(error) => refusal(&**error),
        error => refusal(error),
    };
    refused.map(ToString::to_string)
}

/// The run's time is over.
fn out_of_time() -> Error {
    Error::new(ErrorCode::Timeout, "the run's time ended before the search index was up to date")
}
