//! What all runs of a process share of a workspace: the open database, its write transaction, the thread that flushes.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use redb::Database;

use super::{
    Create, Tables, database, folder,
    lock::Lock,
    session::{FLUSH_AFTER, FLUSH_BYTES, Flushed, Listener},
    transaction::Transaction,
};
use crate::Error;

pub(super) struct Shared {
    folder: PathBuf,
    create: Create,
    made: AtomicBool,
    /// How many commits there were.
    commits: AtomicU64,
    /// The number of the commit that writes wait for; 0 when none does. Read without the lock: the console asks for each
    /// line, also while a commit is under way.
    outstanding: AtomicU64,
    listeners: Mutex<Vec<Weak<dyn Fn(Flushed) + Send + Sync>>>,
    state: Mutex<State>,
    /// Wakes the flush thread.
    dirty: Condvar,
}

struct State {
    open: Option<Open>,
    /// The number that the next commit has. Numbers are never used again, also when a commit is lost.
    next: u64,
    /// When the first write came that is not on disk.
    dirty_since: Option<Instant>,
    /// The commits that were lost, with the reason.
    lost: BTreeMap<u64, String>,
    flusher: bool,
    ended: bool,
}

/// Dropped in this order: the transaction, the database, the lock.
struct Open {
    transaction: Option<Transaction>,
    database: Database,
    _lock: Lock,
}

impl Shared {
    pub(super) fn new(folder: &Path, create: Create) -> Self {
        let state =
            State { open: None, next: 1, dirty_since: None, lost: BTreeMap::new(), flusher: false, ended: false };
        Self {
            folder: folder.into(),
            create,
            made: AtomicBool::new(false),
            commits: AtomicU64::new(0),
            outstanding: AtomicU64::new(0),
            listeners: Mutex::default(),
            state: Mutex::new(state),
            dirty: Condvar::new(),
        }
    }

    pub(super) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Acquire)
    }

    pub(super) fn was_made(&self) -> bool {
        self.made.load(Ordering::Acquire)
    }

    pub(super) fn outstanding(&self) -> Option<u64> {
        Some(self.outstanding.load(Ordering::Acquire)).filter(|commit| *commit > 0)
    }

    /// Why a commit was lost, if it was.
    pub(super) fn loss(&self, commit: u64) -> Option<String> {
        self.state().lost.get(&commit).cloned()
    }

    pub(super) fn listen(&self, listener: &Listener) {
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.retain(|listener| listener.strong_count() > 0);
        listeners.push(Arc::downgrade(listener));
    }

    /// One call, in the open transaction. Gives the number of the commit that it waits for.
    pub(super) fn call<T>(
        self: &Arc<Self>,
        deadline: Instant,
        f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>,
    ) -> Result<(T, u64), Error> {
        let mut state = self.state();
        let transaction = self.transaction(&mut state, deadline)?;
        let called = transaction.with(|tables| {
            let before = tables.written();
            // A panic in here is a fault of ours or of redb's: what it leaves is not to be trusted.
            let answer = catch_unwind(AssertUnwindSafe(|| f(tables)));
            (answer, before, tables.written())
        });
        let (answer, before, written) = match called {
            (Ok(answer), before, written) => (answer, before, written),
            (Err(_), ..) => (Err(Error::storage("a call panicked")), 0, 0),
        };
        match answer {
            Err(error) if error.ends_run() => {
                self.lose(&mut state, &error);
                Err(error)
            }
            answer => {
                let commit = state.next;
                if written > before {
                    self.mark_dirty(&mut state);
                }
                if written > FLUSH_BYTES {
                    self.commit(&mut state)?;
                }
                answer.map(|answer| (answer, commit))
            }
        }
    }

    /// Opens the workspace, whether or not a call needs it.
    pub(super) fn open_now(self: &Arc<Self>) -> Result<(), Error> {
        let mut state = self.state();
        self.transaction(&mut state, Instant::now() + Duration::from_secs(60)).map(drop)
    }

    pub(super) fn flush(&self) -> Result<(), Error> {
        let mut state = self.state();
        if state.dirty_since.is_some() { self.commit(&mut state) } else { Ok(()) }
    }

    pub(super) fn close(&self) -> Result<(), Error> {
        let mut state = self.state();
        let flushed = if state.dirty_since.is_some() { self.commit(&mut state) } else { Ok(()) };
        state.open = None;
        flushed
    }

    /// Closes it for good.
    pub(super) fn end(&self) -> Result<(), Error> {
        self.state().ended = true;
        self.dirty.notify_all();
        self.close()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The open transaction; it opens what is not open yet.
    fn transaction<'s>(self: &Arc<Self>, state: &'s mut State, deadline: Instant) -> Result<&'s mut Transaction, Error> {
        if state.open.is_none() {
            state.open = Some(self.open(deadline)?);
        }
        let Some(open) = &mut state.open else { return Err(Error::storage("the workspace is not open")) };
        if open.transaction.is_none() {
            open.transaction = Some(Transaction::begin(&open.database).map_err(Error::storage)?);
        }
        open.transaction.as_mut().ok_or_else(|| Error::storage("no transaction"))
    }

    fn open(&self, deadline: Instant) -> Result<Open, Error> {
        let path = folder::path(&self.folder);
        if !path.is_dir() {
            match self.create {
                Create::Never => return Err(folder::no_workspace("there is no workspace: make one with ghost init")),
                Create::AtFirstUse => self.made.store(folder::make(&self.folder)?, Ordering::Release),
            }
        }
        let lock = Lock::acquire(&path, deadline)?;
        Ok(Open { transaction: None, database: database::open(&path)?, _lock: lock })
    }

    fn mark_dirty(self: &Arc<Self>, state: &mut State) {
        if state.dirty_since.is_some() {
            return;
        }
        state.dirty_since = Some(Instant::now());
        self.outstanding.store(state.next, Ordering::Release);
        if state.flusher {
            self.dirty.notify_all();
        } else {
            state.flusher = true;
            let shared = Arc::clone(self);
            thread::spawn(move || shared.flush_in_time());
        }
    }

    /// The flush thread: commits what has waited for long enough.
    fn flush_in_time(&self) {
        let mut state = self.state();
        while !state.ended {
            state = match state.dirty_since.map(|since| since.elapsed()) {
                None => self.dirty.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(waited) if waited < FLUSH_AFTER => {
                    let waiting = self.dirty.wait_timeout(state, FLUSH_AFTER - waited);
                    waiting.unwrap_or_else(PoisonError::into_inner).0
                }
                Some(_) => {
                    // Who lost calls is told by its next one, or at its end.
                    if let Err(error) = self.commit(&mut state) {
                        tracing::error!(cause = ?std::error::Error::source(&error), "{error}");
                    }
                    state
                }
            };
        }
    }

    /// Puts the open transaction on disk.
    fn commit(&self, state: &mut State) -> Result<(), Error> {
        let Some(transaction) = state.open.as_mut().and_then(|open| open.transaction.take()) else { return Ok(()) };
        let committed = catch_unwind(AssertUnwindSafe(|| transaction.commit()));
        let more = match committed.unwrap_or_else(|_| Err(redb::Error::Corrupted("a commit panicked".into()))) {
            Ok(more) => more,
            Err(error) => {
                let error = Error::storage(error);
                self.lose(state, &error);
                return Err(error);
            }
        };
        let commit = state.next;
        state.next += 1;
        // What is left to tidy up is a reason for the next commit, but nobody waits for it.
        state.dirty_since = more.then(Instant::now);
        self.commits.fetch_add(1, Ordering::AcqRel);
        self.outstanding.store(0, Ordering::Release);
        self.tell(Flushed::Committed(commit));
        Ok(())
    }

    /// Gives up what is not on disk, as a whole. The next call opens the workspace again.
    fn lose(&self, state: &mut State, error: &Error) {
        state.open = None;
        let commit = state.next;
        state.next += 1;
        state.dirty_since = None;
        state.lost.insert(commit, error.message.clone());
        self.outstanding.store(0, Ordering::Release);
        self.tell(Flushed::Lost);
    }

    fn tell(&self, flushed: Flushed) {
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner).clone();
        listeners.iter().filter_map(Weak::upgrade).for_each(|listener| listener(flushed));
    }
}
