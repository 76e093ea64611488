//! What all runs of a process share of a workspace: the database, its open write transaction, who takes part in it.

use std::{
    path::{self, Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use super::{
    Create, Tables,
    database::Database,
    failure::no_workspace,
    flush, folder,
    lease::{self, Lease, Line, Tried, Wait},
    open::Open,
    session::Member,
    transaction::Clock,
};
use crate::{
    Error,
    folder::{Folder, Location, Trust},
    g::queue,
    index::Indexes,
};

pub(super) struct Shared {
    folder: PathBuf,
    location: Location,
    create: Create,
    clock: Clock,
    made: AtomicBool,
    pub(super) commits: AtomicU64,
    /// What queues share beside the tables.
    queue: Arc<queue::Process>,
    indexes: Arc<Indexes>,
    /// The number of the commit that changes wait for; 0 when none does. Read without the lock: the console asks for each
    /// line, also while a commit is under way.
    pub(super) outstanding: AtomicU64,
    members: Mutex<Vec<Weak<Member>>>,
    /// Those who wait for another process.
    line: Arc<Line>,
    /// When set, nobody waits.
    interrupted: OnceLock<Arc<AtomicBool>>,
    state: Mutex<State>,
    /// Wakes the flush thread.
    pub(super) changed: Condvar,
    /// Wakes the runs that wait for the disk.
    pub(super) committed: Condvar,
}

pub(super) struct State {
    pub(super) open: Option<Open>,
    /// The number of the open transaction, or of the next. It is never used again, also when the transaction is lost.
    pub(super) number: u64,
    /// When the first change came that is not on disk.
    pub(super) changed_since: Option<Instant>,
    /// How long a change may wait until it is on disk.
    pub(super) within: Duration,
    /// How long the last commit took.
    pub(super) commit_time: Duration,
    /// How many runs wait for the disk.
    pub(super) ending: usize,
    /// How long they wait for others at the most, to share a commit.
    pub(super) gather: Duration,
    pub(super) has_flusher: bool,
    /// When another process was let have the workspace.
    pub(super) gave_way: Option<Instant>,
}

/// Whether a call that waits for another process gives up when the program is told to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interruption {
    Heeded,
    Ignored,
}

impl Shared {
    pub(super) fn new(folder: &Path, trust: Trust, create: Create, clock: Clock) -> Self {
        // The program may go to another folder before the workspace is opened.
        let folder = &path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let location = folder::of(folder, trust);
        let state = State {
            open: None,
            number: 1,
            changed_since: None,
            within: flush::WITHIN,
            commit_time: Duration::ZERO,
            ending: 0,
            gather: flush::GATHER,
            has_flusher: false,
            gave_way: None,
        };
        Self {
            folder: folder.into(),
            create,
            clock,
            made: AtomicBool::new(false),
            commits: AtomicU64::new(0),
            queue: Arc::new(queue::Process::new(&location)),
            indexes: Arc::new(Indexes::in_workspace(&location)),
            outstanding: AtomicU64::new(0),
            members: Mutex::default(),
            line: Arc::new(Line::new(location.clone())),
            location,
            interrupted: OnceLock::new(),
            state: Mutex::new(state),
            changed: Condvar::new(),
            committed: Condvar::new(),
        }
    }

    pub(super) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Acquire)
    }

    pub(super) fn queue(&self) -> &Arc<queue::Process> {
        &self.queue
    }

    pub(super) fn was_made(&self) -> bool {
        self.made.load(Ordering::Acquire)
    }

    pub(super) fn outstanding(&self) -> Option<u64> {
        Some(self.outstanding.load(Ordering::Acquire)).filter(|number| *number > 0)
    }

    /// Lets no call wait any longer for another process once the flag is set. The first flag stays.
    pub(super) fn interrupt_when(&self, flag: Arc<AtomicBool>) {
        let _ = self.interrupted.set(flag);
    }

    /// Whoever told the program to end is not to wait for long work.
    pub(super) fn refuse_when_interrupted(&self) -> Result<(), Error> {
        if self.is_interrupted() { Err(lease::interrupted()) } else { Ok(()) }
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.get().is_some_and(|flag| flag.load(Ordering::Acquire))
    }

    pub(super) fn join(&self, member: &Arc<Member>) {
        let mut members = self.members();
        members.retain(|member| member.strong_count() > 0);
        members.push(Arc::downgrade(member));
    }

    /// One call of a member, in the open transaction. The second value is true when it changed something, also when it failed.
    pub(super) fn call<T>(
        self: &Arc<Self>,
        member: &Member,
        deadline: Instant,
        interruption: Interruption,
        f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>,
    ) -> (Result<T, Error>, bool) {
        match member.refuse_after_loss().and_then(|()| self.opened(deadline, interruption)) {
            Ok(state) => self.call_in(state, member, f),
            Err(error) => (Err(error), false),
        }
    }

    /// The same, unless that means to wait for another process: then none.
    pub(super) fn call_if_open<T>(
        self: &Arc<Self>,
        member: &Member,
        f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>,
    ) -> Option<(Result<T, Error>, bool)> {
        let state = self.state();
        state.open.is_some().then(|| self.call_in(state, member, f))
    }

    fn call_in<T>(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, State>,
        member: &Member,
        f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>,
    ) -> (Result<T, Error>, bool) {
        if let Err(lost) = member.refuse_after_loss() {
            return (Err(lost), false);
        }
        let before = state.changed_bytes();
        let answer = state.apply(f);
        let failure = answer.as_ref().err().filter(|error| error.ends_run());
        let changed = state.changed_bytes() > before;
        // Who reads what is not on disk may tell of it as well as who wrote it.
        if changed || failure.is_some() || state.changed_since.is_some() {
            member.take_part(state.number);
        }
        let settled = match failure {
            Some(error) => Some(self.lose(&mut state, error)),
            None if state.has_flusher => self.note(&mut state, changed),
            None => {
                let noted = self.note(&mut state, changed);
                noted.or(self.give_back(&mut state).0) // nobody else would
            }
        };
        drop(state);
        self.tell(settled);
        (answer.and_then(|answer| member.refuse_after_loss().map(|()| answer)), changed)
    }

    /// Opens the workspace, whether or not a call needs it.
    pub(super) fn open_now(self: &Arc<Self>, deadline: Instant) -> Result<(), Error> {
        self.opened(deadline, Interruption::Heeded).map(drop)
    }

    /// Something that is done to the database alone: every call before it is on disk, and no other begins meanwhile, of this
    /// process or of another. Whoever calls next opens the workspace again.
    pub(super) fn alone<T>(
        self: &Arc<Self>,
        f: impl FnOnce(Database, &Folder) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let state = self.opened(Instant::now() + lease::BUSY_TIMEOUT, Interruption::Heeded)?;
        let open = self.settled(state, |shared, state| {
            let (settled, committed) = shared.commit(state);
            let closed = || no_workspace("the workspace is closed");
            (settled, committed.and_then(|()| state.open.take().ok_or_else(closed)))
        })?;
        // Not under the lock of the state. The lease is still held: calls of this process wait for it as others do.
        open.alone(f)
    }

    /// The folder that holds the workspace.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Those who wait for another process.
    pub(super) fn line(&self) -> &Arc<Line> {
        &self.line
    }

    /// Where the workspace lies.
    pub(super) fn location(&self) -> &Location {
        &self.location
    }

    pub(super) fn indexes(&self) -> &Arc<Indexes> {
        &self.indexes
    }

    /// Every panic inside is caught where it comes from, so the lock's poison says nothing.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn members(&self) -> MutexGuard<'_, Vec<Weak<Member>>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state with an open workspace. While another process has it, this one's other runs can wait on their own.
    fn opened(self: &Arc<Self>, deadline: Instant, interruption: Interruption) -> Result<MutexGuard<'_, State>, Error> {
        let (mut wait, mut lease, mut was_courteous) = (None, None, false);
        loop {
            let mut state = self.state();
            if state.open.is_some() {
                return Ok(state);
            }
            if let Some(gave_way) = state.gave_way.filter(|_| !was_courteous) {
                drop(state);
                lease::be_courteous(&self.location, gave_way);
                was_courteous = true;
                continue;
            }
            let tried = self.try_open(lease.take())?;
            if let Tried::Got(open) = tried {
                state.open = Some(open);
                self.wake_flusher(&mut state);
                return Ok(state);
            }
            drop(state);
            if interruption == Interruption::Heeded {
                self.refuse_when_interrupted()?;
            }
            let wait = wait.get_or_insert_with(|| Wait::until(deadline));
            match tried {
                Tried::Held(holder) => lease = wait.stand(&self.line, holder)?,
                _ => wait.pause()?,
            }
        }
    }

    fn try_open(&self, lease: Option<Lease>) -> Result<Tried<Open>, Error> {
        let opened = if let Some(opened) = folder::open(&self.location, lease)? {
            opened
        } else if self.create == Create::AtFirstUse {
            let made = folder::make(&self.folder)?;
            self.made.fetch_or(matches!(made, Tried::Got(_)), Ordering::AcqRel);
            made
        } else {
            return Err(no_workspace("there is no workspace; to create one: ghost init"));
        };
        Ok(match opened {
            Tried::Got((lease, database)) => {
                Tried::Got(Open::new(lease, database, Arc::clone(&self.clock), Arc::clone(&self.queue)))
            }
            Tried::Held(holder) => Tried::Held(holder),
            Tried::Later => Tried::Later,
        })
    }
}

impl State {
    /// One call. It is a fault if nothing is open.
    pub(super) fn apply<T>(&mut self, f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let open = self.open.as_mut().ok_or_else(|| no_workspace("the workspace is closed"))?;
        open.tenure().served();
        open.apply(f)
    }

    /// About how many bytes were changed in the open transaction.
    pub(super) fn changed_bytes(&self) -> usize {
        self.open.as_ref().map_or(0, Open::changed_bytes)
    }
}
