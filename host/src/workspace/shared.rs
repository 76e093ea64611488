//! The state of a workspace that all runs of a process share: the database, its open write transaction, and the
//! participants, which are the runs that are notified when a transaction ends.

use std::{
    path::{self, Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Instant,
};

use super::{
    Create,
    database::Database,
    failure::no_workspace,
    folder,
    open::Open,
    process_lock::{self, ProcessLock, Tried, Wait, WaitQueue},
    schedule::CommitSchedule,
    session::Participant,
};
use crate::{
    Error,
    data::{Clock, ProcessState, Tables},
    folder::{Folder, Location, Trust},
    index::Indexes,
};

pub(super) struct Shared {
    folder: PathBuf,
    location: Location,
    create: Create,
    made: AtomicBool,
    pub(super) commits: AtomicU64,
    /// The state that this process keeps between transactions.
    data: Arc<ProcessState>,
    indexes: Arc<Indexes>,
    /// The number of the transaction with unsaved changes; 0 for none. Read without the lock: the console reads it for
    /// each line, also during a commit.
    pub(super) outstanding: AtomicU64,
    participants: Mutex<Vec<Weak<Participant>>>,
    /// The calls that wait for another process.
    wait_queue: Arc<WaitQueue>,
    /// Once this flag is set, no call waits for another process, except calls that end a run.
    interrupted: OnceLock<Arc<AtomicBool>>,
    state: Mutex<State>,
    /// Whether the workspace is open (`state.open`). Read without the lock, before each call of a run.
    is_open: AtomicBool,
    /// Wakes the flush thread.
    pub(super) changed: Condvar,
    /// Wakes the runs that wait for a commit.
    pub(super) committed: Condvar,
}

pub(super) struct State {
    pub(super) open: Option<Open>,
    /// Decides when the open transaction is committed.
    pub(super) schedule: CommitSchedule,
    pub(super) has_flusher: bool,
    /// When this process released the workspace to another one.
    pub(super) gave_way: Option<Instant>,
}

/// Whether a call that waits for another process stops when the program is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interruption {
    StopsWait,
    DoesNotStopWait,
}

impl Shared {
    pub(super) fn new(folder: &Path, trust: Trust, create: Create, clock: Clock) -> Self {
        // The program may change its folder before the workspace is opened.
        let folder = &path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let location = folder::of(folder, trust);
        let state = State { open: None, schedule: CommitSchedule::default(), has_flusher: false, gave_way: None };
        Self {
            folder: folder.into(),
            create,
            made: AtomicBool::new(false),
            commits: AtomicU64::new(0),
            data: Arc::new(ProcessState::new(&location, clock)),
            indexes: Arc::new(Indexes::in_workspace(&location)),
            outstanding: AtomicU64::new(0),
            participants: Mutex::default(),
            wait_queue: Arc::new(WaitQueue::new(location.clone())),
            location,
            interrupted: OnceLock::new(),
            state: Mutex::new(state),
            is_open: AtomicBool::new(false),
            changed: Condvar::new(),
            committed: Condvar::new(),
        }
    }

    pub(super) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Acquire)
    }

    pub(super) fn data(&self) -> &Arc<ProcessState> {
        &self.data
    }

    pub(super) fn was_made(&self) -> bool {
        self.made.load(Ordering::Acquire)
    }

    pub(super) fn outstanding(&self) -> Option<u64> {
        Some(self.outstanding.load(Ordering::Acquire)).filter(|number| *number > 0)
    }

    /// Once the flag is set, no call waits for another process, except calls that end a run. Later flags are ignored.
    pub(super) fn interrupt_when(&self, flag: Arc<AtomicBool>) {
        let _ = self.interrupted.set(flag);
    }

    /// Fails when the program is interrupted.
    pub(super) fn refuse_when_interrupted(&self) -> Result<(), Error> {
        if self.is_interrupted() { Err(process_lock::interrupted()) } else { Ok(()) }
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.get().is_some_and(|flag| flag.load(Ordering::Acquire))
    }

    pub(super) fn register(&self, participant: &Arc<Participant>) {
        let mut participants = self.participants();
        participants.retain(|participant| participant.strong_count() > 0);
        participants.push(Arc::downgrade(participant));
    }

    /// Executes a call in the open transaction. The second value is whether it changed anything, even if it failed.
    pub(super) fn call<T>(
        self: &Arc<Self>,
        participant: &Participant,
        deadline: Instant,
        interruption: Interruption,
        f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>,
    ) -> (Result<T, Error>, bool) {
        match participant.refuse_after_loss().and_then(|()| self.opened(deadline, interruption)) {
            Ok(state) => self.call_in(state, participant, f),
            Err(error) => (Err(error), false),
        }
    }

    /// As `call`, without waiting for another process: returns `None` if this process does not have the workspace open.
    pub(super) fn call_if_open<T>(
        self: &Arc<Self>,
        participant: &Participant,
        f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>,
    ) -> Option<(Result<T, Error>, bool)> {
        let state = self.state();
        state.open.is_some().then(|| self.call_in(state, participant, f))
    }

    fn call_in<T>(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, State>,
        participant: &Participant,
        f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>,
    ) -> (Result<T, Error>, bool) {
        if let Err(lost) = participant.refuse_after_loss() {
            return (Err(lost), false);
        }
        let before = state.changed_bytes();
        let answer = state.apply(f);
        let failure = answer.as_ref().err().filter(|error| error.ends_run());
        let changed = state.changed_bytes() > before;
        // A run that reads unsaved changes may output them, like the run that made them.
        if changed || failure.is_some() || state.schedule.has_changes() {
            participant.takes_part_in(state.schedule.number());
        }
        let ended = match failure {
            Some(error) => Some(self.lose(&mut state, error)),
            None if state.has_flusher => self.schedule_or_commit(&mut state, changed),
            None => {
                let noted = self.schedule_or_commit(&mut state, changed);
                // There is no flush thread, so this call has to commit and release the workspace.
                noted.or(self.commit_and_release(&mut state).0)
            }
        };
        drop(state);
        self.notify_participants(ended);
        (answer.and_then(|answer| participant.refuse_after_loss().map(|()| answer)), changed)
    }

    pub(super) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }

    /// Takes the database out of the state; the next call opens the workspace again.
    pub(super) fn take_open(&self, state: &mut State) -> Option<Open> {
        self.is_open.store(false, Ordering::Release);
        state.open.take()
    }

    /// Opens the workspace.
    pub(super) fn open_now(self: &Arc<Self>, deadline: Instant) -> Result<(), Error> {
        self.opened(deadline, Interruption::StopsWait).map(drop)
    }

    /// Calls `f` with exclusive access to the database: all earlier calls are durable, and no other call is executed
    /// meanwhile, in this process or another. The next call opens the workspace again.
    pub(super) fn with_exclusive_database<T>(
        self: &Arc<Self>,
        f: impl FnOnce(Database, &Folder) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.taken()?.with_exclusive_database(f)
    }

    /// As `with_exclusive_database`, after removing the rows of cleared collections, cleared queues and discarded logs.
    pub(super) fn with_purged_database<T>(
        self: &Arc<Self>,
        f: impl FnOnce(Database, &Folder) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut open = self.taken()?;
        match open.finish_purge(|| self.refuse_when_interrupted()) {
            Ok(()) => open.with_exclusive_database(f),
            Err(error) => {
                open.release();
                Err(error)
            }
        }
    }

    /// Takes the open workspace from the state, with every call committed. Its owner uses it without the mutex of the state:
    /// calls of this process wait for the process lock, as other processes do.
    fn taken(self: &Arc<Self>) -> Result<Open, Error> {
        let state = self.opened(Instant::now() + process_lock::BUSY_TIMEOUT, Interruption::StopsWait)?;
        self.then_notify(state, |shared, state| {
            let (ended, committed) = shared.commit(state);
            let closed = || no_workspace("the workspace is closed");
            (ended, committed.and_then(|()| shared.take_open(state).ok_or_else(closed)))
        })
    }

    /// Returns the folder that contains `.ghost`.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the queue of the calls that wait for another process.
    pub(super) fn wait_queue(&self) -> &Arc<WaitQueue> {
        &self.wait_queue
    }

    /// Returns the location of `.ghost`.
    pub(super) fn location(&self) -> &Location {
        &self.location
    }

    pub(super) fn indexes(&self) -> &Arc<Indexes> {
        &self.indexes
    }

    /// Locks the state. Poisoning has no meaning: every panic in a call is caught before it reaches the mutex.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn participants(&self) -> MutexGuard<'_, Vec<Weak<Participant>>> {
        self.participants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the state, with the workspace open. The mutex is unlocked while a call waits for another process.
    fn opened(self: &Arc<Self>, deadline: Instant, interruption: Interruption) -> Result<MutexGuard<'_, State>, Error> {
        let (mut wait, mut process_lock, mut has_let_waiters_go) = (None, None, false);
        loop {
            let mut state = self.state();
            if state.open.is_some() {
                return Ok(state);
            }
            if let Some(gave_way) = state.gave_way.filter(|_| !has_let_waiters_go) {
                drop(state);
                process_lock::let_waiters_go_first(&self.location, gave_way);
                has_let_waiters_go = true;
                continue;
            }
            let tried = self.try_open(process_lock.take())?;
            if let Tried::Got(open) = tried {
                state.open = Some(open);
                self.is_open.store(true, Ordering::Release);
                self.start_flusher(&mut state);
                return Ok(state);
            }
            drop(state);
            if interruption == Interruption::StopsWait {
                self.refuse_when_interrupted()?;
            }
            let wait = wait.get_or_insert_with(|| Wait::until(deadline));
            match tried {
                Tried::Held(holder) => process_lock = wait.wait_in_queue(&self.wait_queue, holder)?,
                _ => wait.pause()?,
            }
        }
    }

    fn try_open(&self, process_lock: Option<ProcessLock>) -> Result<Tried<Open>, Error> {
        let opened = if let Some(opened) = folder::open(&self.location, process_lock)? {
            opened
        } else if self.create == Create::AtFirstUse {
            let made = folder::make(&self.folder)?;
            self.made.fetch_or(matches!(made, Tried::Got(_)), Ordering::AcqRel);
            made
        } else {
            return Err(no_workspace("there is no workspace; to create one: ghost init"));
        };
        Ok(match opened {
            Tried::Got((process_lock, database)) => {
                Tried::Got(Open::new(process_lock, database, Arc::clone(&self.data)))
            }
            Tried::Held(holder) => Tried::Held(holder),
            Tried::Later => Tried::Later,
        })
    }
}

impl State {
    /// Executes a call on the open workspace.
    pub(super) fn apply<T>(&mut self, f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let open = self.open.as_mut().ok_or_else(|| no_workspace("the workspace is closed"))?;
        open.yield_policy().served();
        open.apply(f)
    }

    /// Returns the approximate number of bytes that were changed in the open transaction.
    pub(super) fn changed_bytes(&self) -> usize {
        self.open.as_ref().map_or(0, Open::changed_bytes)
    }
}
