//! A run's access to a workspace.

use std::{
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use super::{Workspace, shared::Interruption};
use crate::{
    Error, ErrorCode,
    budget::Budget,
    data::{Quota, Tables},
    index::{Indexes, Stop},
};

/// Notified when a transaction has ended. It may be called from any thread, and must not call the workspace.
pub(crate) type Listener = Box<dyn Fn(Flushed) + Send + Sync>;

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flushed {
    /// All transactions that the run took part in, up to this number, are on disk.
    Committed(u64),
    /// The transaction with this number, in which the run wrote or read, is discarded. The run has to end, since its further
    /// output may depend on the lost changes.
    Lost(u64),
}

/// What a run lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lost {
    /// How many of its calls were not saved; 0 if it only read what another run wrote.
    pub(crate) calls: u64,
    /// Why.
    pub(crate) message: String,
}

impl From<Lost> for Error {
    fn from(Lost { calls, message }: Lost) -> Self {
        let calls = if calls == 1 { "1 call was".into() } else { format!("{calls} calls were") };
        Self::ending(format!("{message}: {calls} not saved"))
    }
}

/// A run, as the transactions know it.
pub(super) struct Participant {
    listener: Listener,
    /// The last transaction in which the run changed something, or read when something was changed; 0 for none.
    part_in: AtomicU64,
    /// Why that one was lost.
    lost: OnceLock<String>,
}

impl Participant {
    pub(super) fn take_part(&self, number: u64) {
        self.part_in.store(number, Ordering::Release);
    }

    fn part_in(&self) -> u64 {
        self.part_in.load(Ordering::Acquire)
    }

    /// To be called before the loss can be taken for a commit: before the transaction's number is free.
    pub(super) fn lose(&self, number: u64, message: &str) {
        if self.part_in() == number && self.lost.set(message.to_owned()).is_ok() {
            (self.listener)(Flushed::Lost(number));
        }
    }

    /// A run whose changes are lost can't continue: its next calls may depend on them.
    pub(super) fn refuse_after_loss(&self) -> Result<(), Error> {
        self.lost.get().map_or(Ok(()), |message| Err(Error::ending(message.clone())))
    }

    pub(super) fn tell(&self, number: u64) {
        if self.lost.get().is_none() {
            (self.listener)(Flushed::Committed(number));
        }
    }
}

/// A run's access to the workspace. It counts the calls that are not on disk yet.
pub(crate) struct Session {
    workspace: Workspace,
    deadline: Instant,
    budget: Budget,
    interruption: Interruption,
    quota: Quota,
    participant: Arc<Participant>,
    /// The transaction that the calls counted here belong to.
    number: u64,
    calls: u64,
    /// How many there were in the transactions before it.
    calls_before: u64,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

impl Session {
    pub(super) fn new(workspace: Workspace, deadline: Instant, listener: Listener) -> Self {
        let participant = Arc::new(Participant { listener, part_in: AtomicU64::new(0), lost: OnceLock::new() });
        workspace.shared().join(&participant);
        let (budget, interruption, quota) = (Budget::unlimited(), Interruption::Heeded, Quota::default());
        Self { workspace, deadline, budget, interruption, quota, participant, number: 0, calls: 0, calls_before: 0 }
    }

    /// The same session with the memory budget of a run.
    pub(crate) fn with_budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// The same session for work that is done because the program is interrupted: its calls still wait for another process.
    pub(crate) fn despite_interruption(self) -> Self {
        Self { interruption: Interruption::Ignored, ..self }
    }

    /// The same session with a disk quota in bytes.
    pub(crate) fn limited_to(self, bytes: Option<u64>) -> Self {
        Self { quota: Quota::new(bytes), ..self }
    }

    /// Whether it has a disk quota.
    pub(crate) fn has_disk_quota(&self) -> bool {
        self.quota.is_limited()
    }

    /// Counts bytes that were written for it outside the database. Fails when they exceed the disk quota, and then on every
    /// call.
    pub(crate) fn spend(&mut self, bytes: u64) -> Result<(), Error> {
        self.quota.spend(bytes)
    }

    /// Executes one call. The call makes all its changes or none: it validates before the first change.
    pub(crate) fn call<T>(&mut self, f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let quota = self.quota;
        let call = |tables: &mut Tables<'_>| tables.within(quota, f);
        let (answer, changed) = self.workspace.shared().call(&self.participant, self.deadline, self.interruption, call);
        self.count(&answer, changed);
        let (answer, quota) = answer?;
        self.quota = quota;
        Ok(answer)
    }

    /// The same without waiting for another process: returns `None` if this process has not opened the workspace.
    pub(crate) fn call_if_open<T>(
        &mut self,
        f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let Some((answer, changed)) = self.workspace.shared().call_if_open(&self.participant, f) else {
            return Ok(None);
        };
        self.count(&answer, changed);
        answer.map(Some)
    }

    /// When its calls stop waiting.
    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// The memory that its calls may take.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Stops the work on an index at the end of the run's time, or when the program is interrupted; from any thread.
    pub(crate) fn stop(&self) -> Stop {
        let (deadline, interruption) = (self.deadline, self.interruption);
        let shared = Arc::clone(self.workspace.shared());
        let is_over =
            move || Instant::now() >= deadline || interruption == Interruption::Heeded && shared.is_interrupted();
        Stop::when(is_over, self.budget.clone())
    }

    /// Fails when long work has to stop: with this error when the run's time is over.
    pub(crate) fn check_can_continue(&self, out_of_time: impl FnOnce() -> Error) -> Result<(), Error> {
        self.time_left().check_can_continue(out_of_time)
    }

    /// The same for work inside a call, which borrows the session.
    pub(crate) fn time_left(&self) -> TimeLeft {
        TimeLeft { workspace: self.workspace.clone(), deadline: self.deadline, interruption: self.interruption }
    }

    /// The indexes of the workspace, which may be behind the database.
    pub(crate) fn indexes(&self) -> Arc<Indexes> {
        Arc::clone(self.workspace.shared().indexes())
    }

    /// Commits everything that the run wrote or read.
    pub(crate) fn save(&mut self) -> Result<(), Error> {
        if self.waits() {
            self.workspace.shared().flush_up_to(self.participant.part_in())?;
        }
        self.participant.refuse_after_loss()
    }

    /// The number of the last transaction in which the run changed something, or read when something was changed.
    pub(crate) fn transaction(&self) -> u64 {
        self.participant.part_in()
    }

    /// Whether something that the run did or read is not on disk, or is lost.
    pub(crate) fn has_unsaved(&self) -> bool {
        // In this order: a loss is noted before the transaction ends.
        self.waits() || self.participant.lost.get().is_some()
    }

    /// Commits everything that the run wrote or read, and waits for the disk.
    pub(crate) fn finish(&mut self) -> Result<(), Lost> {
        if self.waits() {
            let _ = self.workspace.shared().flush_up_to(self.participant.part_in()); // a loss is told below, with its count
        }
        self.lost().map_or(Ok(()), Err)
    }

    /// What has to be on disk before an effect of it becomes visible outside; none when everything is.
    pub(crate) fn unsaved(&self) -> Option<Unsaved> {
        self.has_unsaved()
            .then(|| Unsaved { workspace: self.workspace.clone(), participant: Arc::clone(&self.participant) })
    }

    /// What the run lost, if it did.
    pub(crate) fn lost(&self) -> Option<Lost> {
        let message = self.participant.lost.get()?.clone();
        Some(Lost { calls: if self.number == self.participant.part_in() { self.calls } else { 0 }, message })
    }

    /// How many calls that changed something are on disk.
    pub(crate) fn saved(&self) -> u64 {
        let is_open = self.has_unsaved() && self.number == self.participant.part_in();
        self.calls_before + if is_open { 0 } else { self.calls }
    }

    fn waits(&self) -> bool {
        self.workspace.outstanding() == Some(self.participant.part_in())
    }

    /// Counts a call that changed something, or that was lost.
    fn count<T>(&mut self, answer: &Result<T, Error>, changed: bool) {
        if !changed && !answer.as_ref().is_err_and(Error::ends_run) {
            return;
        }
        if self.number != self.participant.part_in() {
            // The transaction before is on disk: after a loss no call changes anything.
            self.calls_before += self.calls;
            (self.number, self.calls) = (self.participant.part_in(), 0);
        }
        self.calls += 1;
    }
}

/// Whether long work may continue.
pub(crate) struct TimeLeft {
    workspace: Workspace,
    deadline: Instant,
    interruption: Interruption,
}

impl TimeLeft {
    /// Fails when it has to stop: with this error when the run's time is over.
    pub(crate) fn check_can_continue(&self, out_of_time: impl FnOnce() -> Error) -> Result<(), Error> {
        if self.interruption == Interruption::Heeded && self.workspace.shared().is_interrupted() {
            return Err(Error::new(ErrorCode::Busy, "it was interrupted"));
        }
        if Instant::now() >= self.deadline { Err(out_of_time()) } else { Ok(()) }
    }
}

/// What a run wrote or read, and is not on disk.
#[derive(Clone)]
pub(crate) struct Unsaved {
    workspace: Workspace,
    participant: Arc<Participant>,
}

impl Unsaved {
    /// Commits it, and waits for the disk. Fails with an error that ends the run when it is lost.
    pub(crate) fn save(&self) -> Result<(), Error> {
        let part = self.participant.part_in();
        if self.workspace.outstanding() == Some(part) {
            let _ = self.workspace.shared().flush_up_to(part); // a loss is told below
        }
        self.participant.refuse_after_loss()
    }
}
