//! A run's access to a workspace.

use std::{
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Instant,
};

use super::{Workspace, shared::Interruption};
use crate::{
    Error, ErrorCode,
    budget::Budget,
    data::{DataLimits, Quota, Tables, queue},
    index::{Indexes, Stop},
};

/// Called when a transaction has ended, from any thread. It must not call the workspace.
pub(crate) type Listener = Box<dyn Fn(TransactionEnd) + Send + Sync>;

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransactionEnd {
    /// All transactions up to this number that the run took part in are durable.
    Committed(u64),
    /// The transaction with this number, which the run took part in, is discarded. The run has to end, since its
    /// further output may depend on the lost changes.
    Discarded(u64),
}

/// The calls that a run lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LostCalls {
    /// The number of its calls that were not saved; 0 if it only read changes of other runs.
    pub(crate) calls: u64,
    /// Why they were lost.
    pub(crate) message: String,
}

impl From<LostCalls> for Error {
    fn from(LostCalls { calls, message }: LostCalls) -> Self {
        let calls = if calls == 1 { "1 call was".into() } else { format!("{calls} calls were") };
        Self::ending(format!("{message}: {calls} not saved"))
    }
}

/// A run as a participant of transactions, which notify it when they end.
pub(super) struct Participant {
    listener: Listener,
    /// The last transaction that the run changed, or read while it contained changes; 0 for none.
    last_transaction: AtomicU64,
    /// Why that transaction was lost; empty if it was not.
    lost: OnceLock<String>,
    /// The number of its calls that wait for something other than the workspace.
    waiting_calls: AtomicUsize,
    kind: Kind,
}

/// The kind of the owner of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A run, which makes its calls and ends.
    Run,
    /// A program, which may keep its session for as long as it runs.
    Program,
}

impl Participant {
    /// Records that the run takes part in a transaction.
    pub(super) fn takes_part_in(&self, number: u64) {
        self.last_transaction.store(number, Ordering::Release);
    }

    fn last_transaction(&self) -> u64 {
        self.last_transaction.load(Ordering::Acquire)
    }

    /// Whether the run may soon wait for the commit of the transaction. If so, the commit waits a moment, so that it
    /// serves this run too.
    pub(super) fn may_share_commit(&self, number: u64) -> bool {
        let may_end = match self.kind {
            Kind::Run => true,
            Kind::Program => self.last_transaction() == number,
        };
        may_end && self.waiting_calls.load(Ordering::Acquire) == 0
    }

    /// Records and reports the loss of a transaction, if the run took part in it. Must be called before the schedule
    /// moves to the next number; otherwise `save` would take the lost transaction for a committed one.
    pub(super) fn lose(&self, number: u64, message: &str) {
        if self.last_transaction() == number && self.lost.set(message.to_owned()).is_ok() {
            (self.listener)(TransactionEnd::Discarded(number));
        }
    }

    /// Fails if changes that the run made or saw are lost, because its next calls may depend on them.
    pub(super) fn refuse_after_loss(&self) -> Result<(), Error> {
        self.lost.get().map_or(Ok(()), |message| Err(Error::ending(message.clone())))
    }

    /// Reports that the run's transactions up to this number are durable, unless one is lost.
    pub(super) fn notify_committed(&self, number: u64) {
        if self.lost.get().is_none() {
            (self.listener)(TransactionEnd::Committed(number));
        }
    }
}

/// A run's access to a workspace. It counts the calls that are not durable yet.
pub(crate) struct Session {
    workspace: Workspace,
    deadline: Instant,
    budget: Budget,
    interruption: Interruption,
    quota: Quota,
    limits: DataLimits,
    participant: Arc<Participant>,
    /// The number of the transaction to which `calls` belong.
    number: u64,
    /// The number of changing calls in that transaction.
    calls: u64,
    /// The number of changing calls in earlier transactions.
    calls_before: u64,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

impl Session {
    pub(super) fn new(workspace: Workspace, deadline: Instant, listener: Listener, kind: Kind) -> Self {
        let (last_transaction, waiting_calls) = (AtomicU64::new(0), AtomicUsize::new(0));
        let participant =
            Arc::new(Participant { listener, last_transaction, lost: OnceLock::new(), waiting_calls, kind });
        workspace.shared().register(&participant);
        Self {
            workspace,
            deadline,
            budget: Budget::unlimited(),
            interruption: Interruption::StopsWait,
            quota: Quota::default(),
            limits: DataLimits::default(),
            participant,
            number: 0,
            calls: 0,
            calls_before: 0,
        }
    }

    /// Returns the same session with the memory budget of a run.
    pub(crate) fn with_budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// Returns the same session for clean-up after an interruption: an interruption doesn't stop its waits.
    pub(crate) fn despite_interruption(self) -> Self {
        Self { interruption: Interruption::DoesNotStopWait, ..self }
    }

    /// Returns the same session with these limits of the local namespaces, none of them above its maximum.
    pub(crate) fn with_limits(self, limits: DataLimits) -> Self {
        Self { limits: limits.at_most(&DataLimits::MAX), ..self }
    }

    /// Returns the limits of the local namespaces.
    pub(crate) fn limits(&self) -> DataLimits {
        self.limits
    }

    /// Returns the same session with a disk quota in bytes.
    pub(crate) fn with_disk_quota(self, bytes: Option<u64>) -> Self {
        Self { quota: Quota::new(bytes), ..self }
    }

    /// Whether the session has a disk quota.
    pub(crate) fn has_disk_quota(&self) -> bool {
        self.quota.is_limited()
    }

    /// Counts bytes that the run wrote outside the database. Fails when they exceed the disk quota, as does every
    /// later call that stores data.
    pub(crate) fn spend(&mut self, bytes: u64) -> Result<(), Error> {
        self.quota.spend(bytes)
    }

    /// Executes one call. `f` must validate everything before its first change, so that the call makes all its changes
    /// or none.
    pub(crate) fn call<T>(&mut self, f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let (quota, limits) = (self.quota, self.limits);
        let call = |tables: &mut Tables<'_>| tables.within(quota, limits, f);
        let (answer, changed) = self.workspace.shared().call(&self.participant, self.deadline, self.interruption, call);
        self.count(&answer, changed);
        let (answer, quota) = answer?;
        self.quota = quota;
        Ok(answer)
    }

    /// Executes a call without waiting for another process and without a disk quota. Returns `None` if this process
    /// does not have the workspace open.
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

    /// Returns the time at which the calls of the session stop waiting.
    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Returns the state of the queues that the runs of this process share.
    pub(crate) fn queues(&self) -> &queue::ProcessState {
        self.workspace.data().queue()
    }

    /// Executes a call on queues that must see every lease that has ended. Ends them in as many calls as necessary, so that
    /// other calls are executed in between.
    pub(crate) fn call_after_expiry<T>(&mut self, f: impl Fn(&mut Tables<'_>) -> Result<T, Error>) -> Result<T, Error> {
        loop {
            if let Some(answer) = self.call(|tables| queue::after_expiry(tables, &f))? {
                return Ok(answer);
            }
            self.check_may_continue(queue::out_of_time)?;
        }
    }

    /// Records that a call of the run waits for something other than the workspace, until the guard is dropped. The
    /// commits of other runs do not wait for such a run.
    pub(crate) fn begin_to_wait(&self) -> WaitingCall {
        self.participant.waiting_calls.fetch_add(1, Ordering::AcqRel);
        WaitingCall(Arc::clone(&self.participant))
    }

    /// Returns the memory budget of the calls.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Returns a handle that stops work on an index, on any thread, at the deadline or when the program is interrupted.
    pub(crate) fn stop(&self) -> Stop {
        let (deadline, interruption) = (self.deadline, self.interruption);
        let shared = Arc::clone(self.workspace.shared());
        let is_over =
            move || Instant::now() >= deadline || interruption == Interruption::StopsWait && shared.is_interrupted();
        Stop::when(is_over, self.budget.clone())
    }

    /// Fails with `timeout_error()` after the deadline, with `BUSY` when the program was interrupted.
    pub(crate) fn check_may_continue(&self, timeout_error: impl FnOnce() -> Error) -> Result<(), Error> {
        self.time_left().check_may_continue(timeout_error)
    }

    /// Returns the same check for work inside a call, which borrows the session.
    pub(crate) fn time_left(&self) -> TimeLeft {
        TimeLeft { workspace: self.workspace.clone(), deadline: self.deadline, interruption: self.interruption }
    }

    /// Returns the indexes of the workspace, which may be behind the database.
    pub(crate) fn indexes(&self) -> Arc<Indexes> {
        Arc::clone(self.workspace.shared().indexes())
    }

    /// Makes durable all changes that the run made or saw; fails with an error that ends the run.
    pub(crate) fn save(&mut self) -> Result<(), Error> {
        if self.has_pending_commit() {
            self.workspace.shared().flush_up_to(self.participant.last_transaction())?;
        }
        self.participant.refuse_after_loss()
    }

    /// As `save`; the error also contains the number of lost calls.
    pub(crate) fn finish(&mut self) -> Result<(), LostCalls> {
        if self.has_pending_commit() {
            // The line below reports a loss, with its count.
            let _ = self.workspace.shared().flush_up_to(self.participant.last_transaction());
        }
        self.lost().map_or(Ok(()), Err)
    }

    /// Returns the number of the last transaction that the run changed, or read while it contained changes.
    pub(crate) fn last_transaction(&self) -> u64 {
        self.participant.last_transaction()
    }

    /// Whether changes that the run made or saw are not durable yet, or are lost.
    pub(crate) fn has_unsaved(&self) -> bool {
        // In this order: a loss is recorded before the transaction ends.
        self.has_pending_commit() || self.participant.lost.get().is_some()
    }

    /// Returns the changes that must be durable before an effect of them becomes visible outside; `None` if all are.
    pub(crate) fn unsaved(&self) -> Option<Unsaved> {
        self.has_unsaved()
            .then(|| Unsaved { workspace: self.workspace.clone(), participant: Arc::clone(&self.participant) })
    }

    /// Returns the calls that the run lost, if its changes are lost.
    pub(crate) fn lost(&self) -> Option<LostCalls> {
        let message = self.participant.lost.get()?.clone();
        Some(LostCalls {
            calls: if self.number == self.participant.last_transaction() { self.calls } else { 0 },
            message,
        })
    }

    /// Returns the number of changing calls that are durable.
    pub(crate) fn saved(&self) -> u64 {
        let is_open = self.has_unsaved() && self.number == self.participant.last_transaction();
        self.calls_before + if is_open { 0 } else { self.calls }
    }

    /// Whether the last transaction of the run is not committed yet.
    fn has_pending_commit(&self) -> bool {
        self.workspace.outstanding() == Some(self.participant.last_transaction())
    }

    /// Counts a call that changed something, or was lost.
    fn count<T>(&mut self, answer: &Result<T, Error>, changed: bool) {
        if !changed && !answer.as_ref().is_err_and(Error::ends_run) {
            return;
        }
        if self.number != self.participant.last_transaction() {
            // The earlier transaction is durable: after a loss no call changes anything.
            self.calls_before += self.calls;
            (self.number, self.calls) = (self.participant.last_transaction(), 0);
        }
        self.calls += 1;
    }
}

/// A call of a run that waits for something other than the workspace.
pub(crate) struct WaitingCall(Arc<Participant>);

impl Drop for WaitingCall {
    fn drop(&mut self) {
        self.0.waiting_calls.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Checks whether long work may continue.
pub(crate) struct TimeLeft {
    workspace: Workspace,
    deadline: Instant,
    interruption: Interruption,
}

impl TimeLeft {
    /// Fails with `timeout_error()` after the deadline, with `BUSY` when the program was interrupted.
    pub(crate) fn check_may_continue(&self, timeout_error: impl FnOnce() -> Error) -> Result<(), Error> {
        if self.interruption == Interruption::StopsWait && self.workspace.shared().is_interrupted() {
            return Err(Error::new(ErrorCode::Busy, "the program was interrupted during the call"));
        }
        if Instant::now() >= self.deadline { Err(timeout_error()) } else { Ok(()) }
    }
}

/// Changes that a run made or saw and that are not durable yet.
#[derive(Clone)]
pub(crate) struct Unsaved {
    workspace: Workspace,
    participant: Arc<Participant>,
}

impl Unsaved {
    /// Makes the changes durable; fails with an error that ends the run.
    pub(crate) fn save(&self) -> Result<(), Error> {
        let number = self.participant.last_transaction();
        if self.workspace.outstanding() == Some(number) {
            // The line below reports a loss.
            let _ = self.workspace.shared().flush_up_to(number);
        }
        self.participant.refuse_after_loss()
    }
}
