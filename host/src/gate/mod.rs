//! The only path to external systems: every call of an external namespace passes through the gate.
//!
//! ```text
//! accessor.with(|mut access| access.get().gate())              the gate, for one call; `accessor` is Wasmtime's
//!                                                              `Accessor<State>`
//!   gate.call((conn, sql), async |call, (conn, sql)| { … })    counts the arguments, flushes, takes a permit, and does the
//!                                                              work, within the run's time
//!     call.pool_of::<Pool>(conn)                               the pool for the secret that the user stored under the name,
//!                                                              shared by the runs of the host
//!     call.guard(connection, |connection| async { … })         cleaned up when the call fails or is cancelled; `done`
//!                                                              disarms the guard
//!     call.answer_counter()                                    counts the memory of an answer
//! ```
//!
//! The gate removes the words of secrets from errors. It does not retry: only the caller knows whether a call may run twice.

mod arguments;
mod byte_counter;
#[cfg(feature = "external")]
pub(crate) mod ca_file;
mod call;
#[cfg(feature = "external")]
pub(crate) mod error;
mod guard;
mod pools;
mod redact;
#[cfg(test)]
mod tests;
#[cfg(feature = "external")]
pub(crate) mod tls;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{Semaphore, SemaphorePermit},
    task::spawn_blocking,
    time::{Instant, timeout, timeout_at},
};
use tokio_util::task::TaskTracker;

use crate::{Error, ErrorCode, Limits, Timeouts, budget::Budget, secrets::Secrets, workspace::Unsaved};
pub(crate) use arguments::Arguments;
pub(crate) use byte_counter::ByteCounter;
use byte_counter::ByteLimit;
pub(crate) use call::Call;
pub(crate) use guard::CleanupGuard;
use pools::AllPools;
pub(crate) use pools::{MAX_POOLS, Pool};
use redact::Redactor;

/// The time limit for cleaning up after a call that failed or was cancelled.
pub(crate) const CLEAN_UP_TIMEOUT: Duration = Duration::from_secs(1);

/// What the runs of a host share: pools and the tasks that outlive a dropped run.
pub(crate) struct Connections {
    pools: AllPools,
    /// The tasks of all runs that clean up or write the console.
    tasks: TaskTracker,
}

impl Default for Connections {
    fn default() -> Self {
        Self::new(MAX_POOLS)
    }
}

impl Connections {
    /// Creates it with the number of pools that each namespace keeps.
    pub(crate) fn new(max_pools: usize) -> Self {
        Self { pools: AllPools::new(max_pools), tasks: TaskTracker::new() }
    }

    /// Returns the tracker of the tasks for which [`finish_cleanup`](Self::finish_cleanup) waits.
    pub(crate) fn tasks(&self) -> &TaskTracker {
        &self.tasks
    }

    /// Waits for the tasks of all runs, including dropped ones, for at most one second.
    pub(crate) async fn finish_cleanup(&self) {
        self.tasks.close();
        let _in_time = timeout(CLEAN_UP_TIMEOUT, self.tasks.wait()).await;
        self.tasks.reopen();
    }
}

/// Gives one call access to the state that all calls of its run share.
#[derive(Clone)]
pub(crate) struct Gate {
    run: Arc<RunState>,
    /// Writes that have to be durable before the call becomes visible outside.
    unsaved: Option<Unsaved>,
}

/// The state that the calls of a run share.
struct RunState {
    deadline: Instant,
    timeouts: Timeouts,
    permits: Semaphore,
    max_calls: usize,
    /// Counts the memory of the arguments of all calls in flight.
    arguments: Arc<ByteLimit>,
    /// Counts the memory of their answers.
    answers: Arc<ByteLimit>,
    /// The limits on arguments and answers, in bytes.
    max_bytes: (u64, u64),
    secrets: Option<Secrets>,
    redactor: Mutex<Redactor>,
    connections: Arc<Connections>,
    cleanup_tasks: TaskTracker,
}

impl RunState {
    /// Counts bytes of arguments, until the returned counter is dropped. Fails with `limit` beyond the memory of the run.
    fn count_argument_bytes(&self, bytes: usize) -> Result<ByteCounter, Error> {
        let mut counter = ByteCounter::new(Arc::clone(&self.arguments));
        counter.grow(bytes)?;
        Ok(counter)
    }

    fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn redactor(&self) -> MutexGuard<'_, Redactor> {
        self.redactor.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Gate {
    pub(crate) fn new(
        limits: &Limits,
        deadline: Instant,
        secrets: Option<Secrets>,
        connections: Arc<Connections>,
    ) -> Self {
        let run = RunState {
            deadline,
            timeouts: limits.timeouts,
            permits: Semaphore::new(limits.calls.min(Semaphore::MAX_PERMITS)),
            max_calls: limits.calls,
            arguments: Arc::new(ByteLimit::arguments(limits.memory, Budget::unlimited())),
            answers: Arc::new(ByteLimit::answers(limits.buffers, Budget::unlimited())),
            max_bytes: (limits.memory, limits.buffers),
            secrets,
            redactor: Mutex::default(),
            connections,
            cleanup_tasks: TaskTracker::new(),
        };
        Self { run: Arc::new(run), unsaved: None }
    }

    /// The same gate with the memory budget of the run, in which arguments and answers count.
    pub(crate) fn with_budget(mut self, budget: &Budget) -> Self {
        // There are no clones yet.
        if let Some(run) = Arc::get_mut(&mut self.run) {
            let (arguments, answers) = run.max_bytes;
            run.arguments = Arc::new(ByteLimit::arguments(arguments, budget.clone()));
            run.answers = Arc::new(ByteLimit::answers(answers, budget.clone()));
        }
        self
    }

    /// The same gate for a call that starts only when these changes are durable.
    pub(crate) fn after_saving(&self, unsaved: Option<Unsaved>) -> Self {
        Self { run: Arc::clone(&self.run), unsaved }
    }

    /// Makes a call: counts its arguments, commits the script's earlier writes, waits for a permit, and does the work, all
    /// within the remaining time of the run. Cancelled work is dropped, and the resources that it [guards](Call::guard) are
    /// cleaned up in the background. A call as a whole has no time limit of its own; steps that a dead server could stall
    /// have one, see [`Timeouts`].
    ///
    /// Fails with `limit` when the arguments of the calls in flight exceed the memory of the run, and with `timeout` when the
    /// run's time is over. Fails with an error that ends the run when the earlier writes can't be saved.
    pub(crate) async fn call<A: Arguments, T>(
        &self,
        arguments: A,
        work: impl AsyncFnOnce(&Call<'_>, &A) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let _counted = self.run.count_argument_bytes(arguments.bytes())?;
        let (deadline, time) = (self.run.deadline, self.run.time_left());
        // The permit is taken inside the deadline: a call that waits for a permit is as stuck as a call that
        // waits for an answer.
        let _permit = timeout_at(deadline, self.enter()).await.map_err(|_| self.not_started(time))??;
        let call = Call { run: &self.run };
        let answer = timeout_at(deadline, work(&call, &arguments)).await;
        let answer = answer.unwrap_or_else(|_| Err(no_answer(time)));
        answer.map_err(|error| self.run.redactor().redact(error, &arguments))
    }

    /// Makes a call whose work is synchronous, as [`call`](Self::call) does, but without a permit, and without a deadline for the
    /// work. While the script waits for such a call, its calls in flight make no progress, so none of them would release a
    /// permit.
    pub(crate) async fn call_synchronous<A: Arguments, T>(
        &self,
        arguments: A,
        work: impl FnOnce(&Call<'_>, &A) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let _counted = self.run.count_argument_bytes(arguments.bytes())?;
        let time = self.run.time_left();
        timeout_at(self.run.deadline, self.flush()).await.map_err(|_| self.not_started(time))??;
        work(&Call { run: &self.run }, &arguments).map_err(|error| self.run.redactor().redact(error, &arguments))
    }

    async fn enter(&self) -> Result<SemaphorePermit<'_>, Error> {
        self.flush().await?;
        self.run.permits.acquire().await.map_err(Error::internal)
    }

    /// Commits the script's writes, on a thread that may block.
    async fn flush(&self) -> Result<(), Error> {
        let Some(unsaved) = self.unsaved.clone() else { return Ok(()) };
        spawn_blocking(move || unsaved.save()).await.map_err(Error::internal)?
    }

    /// A call without flush, permit and deadline.
    #[cfg(test)]
    pub(crate) fn call_for_tests(&self) -> Call<'_> {
        Call { run: &self.run }
    }

    /// Waits for the clean-up tasks of the run, for at most one second.
    pub(crate) async fn finish_cleanup(&self) {
        self.run.cleanup_tasks.close();
        let _in_time = timeout(CLEAN_UP_TIMEOUT, self.run.cleanup_tasks.wait()).await;
    }

    fn not_started(&self, time: Duration) -> Error {
        let max_calls = self.run.max_calls;
        Error::new(
            ErrorCode::Timeout,
            format!(
                "the call did not start within {}: it waited for the run's earlier writes to be saved, or for one of {max_calls} calls in \
                 flight to end",
                in_milliseconds(time)
            ),
        )
    }
}

fn no_answer(time: Duration) -> Error {
    Error::new(ErrorCode::Timeout, format!("no answer within {}", in_milliseconds(time)))
}

/// A duration rounded up to milliseconds, for messages.
fn in_milliseconds(time: Duration) -> humantime::FormattedDuration {
    let milliseconds = time.as_micros().div_ceil(1_000).try_into().unwrap_or(u64::MAX);
    humantime::format_duration(Duration::from_millis(milliseconds))
}
