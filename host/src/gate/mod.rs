//! The only path to external systems: every call of an external namespace passes through the gate.
//!
//! ```text
//! accessor.with(|mut access| access.get().gate())              the gate, for one call
//!   gate.call((conn, sql), async |call, (conn, sql)| { … })    counts the arguments, flushes, takes a permit, and does the
//!                                                              work, within the run's time
//!     call.secret(conn)                                        the secret that the user stored under the name
//!     call.pool::<Pool>(&secret)                               the pool for the secret, shared by the runs of the host
//!     call.guard(connection, |connection| async { … })         cleaned up when the call is cut; `done` disarms the guard
//!     call.buffer()                                            counts the part of an answer that is in memory
//! ```
//!
//! The gate removes the words of secrets from errors. It does not retry: only the caller knows whether a call may run twice.

mod arguments;
mod buffer;
pub(crate) mod ca_file;
mod call;
pub(crate) mod error;
mod guard;
mod pools;
mod redact;
#[cfg(test)]
mod tests;
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
pub(crate) use buffer::Buffer;
use buffer::Buffers;
pub(crate) use call::Call;
pub(crate) use guard::CleanupGuard;
use pools::AllPools;
pub(crate) use pools::Pool;
use redact::Redactor;

/// The time limit for cleaning up after a call that was cut.
pub(crate) const CLEAN_UP_TIMEOUT: Duration = Duration::from_secs(1);

/// The pools and clean-up tasks that the runs of a host share.
#[derive(Default)]
pub(crate) struct Remote {
    pools: AllPools,
    /// The clean-up tasks of all runs.
    cleaning: TaskTracker,
}

impl Remote {
    /// Waits for the clean-up tasks of all runs, including dropped ones.
    pub(crate) async fn settle(&self) {
        self.cleaning.close();
        let _in_time = timeout(CLEAN_UP_TIMEOUT, self.cleaning.wait()).await;
        self.cleaning.reopen();
    }
}

/// The gate of one run. Clones share it; each is for one call.
#[derive(Clone)]
pub(crate) struct Gate {
    run: Arc<Run>,
    /// Writes that have to be durable before the call becomes visible outside.
    unsaved: Option<Unsaved>,
}

struct Run {
    deadline: Instant,
    timeouts: Timeouts,
    permits: Semaphore,
    most_calls: usize,
    arguments: Arc<Buffers>,
    answers: Arc<Buffers>,
    /// The limits on arguments and answers, in bytes.
    most_kept: (u64, u64),
    secrets: Option<Secrets>,
    redactor: Mutex<Redactor>,
    remote: Arc<Remote>,
    cleaning: TaskTracker,
}

impl Run {
    fn part(&self, bytes: usize) -> Result<Buffer, Error> {
        let mut part = Buffer::new(Arc::clone(&self.arguments));
        part.grow(bytes)?;
        Ok(part)
    }

    fn redactor(&self) -> MutexGuard<'_, Redactor> {
        self.redactor.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Gate {
    pub(crate) fn new(limits: &Limits, deadline: Instant, secrets: Option<Secrets>, remote: Arc<Remote>) -> Self {
        let run = Run {
            deadline,
            timeouts: limits.timeouts,
            permits: Semaphore::new(limits.calls.min(Semaphore::MAX_PERMITS)),
            most_calls: limits.calls,
            arguments: Arc::new(Buffers::arguments(limits.memory, Budget::unlimited())),
            answers: Arc::new(Buffers::answers(limits.buffers, Budget::unlimited())),
            most_kept: (limits.memory, limits.buffers),
            secrets,
            redactor: Mutex::default(),
            remote,
            cleaning: TaskTracker::new(),
        };
        Self { run: Arc::new(run), unsaved: None }
    }

    /// The same gate, which counts arguments and answers in the budget of the run.
    pub(crate) fn counted_in(mut self, budget: &Budget) -> Self {
        // There are no clones yet.
        if let Some(run) = Arc::get_mut(&mut self.run) {
            let (arguments, answers) = run.most_kept;
            run.arguments = Arc::new(Buffers::arguments(arguments, budget.clone()));
            run.answers = Arc::new(Buffers::answers(answers, budget.clone()));
        }
        self
    }

    /// The same gate for a call that starts only when these writes are durable.
    pub(crate) fn after(&self, unsaved: Option<Unsaved>) -> Self {
        Self { run: Arc::clone(&self.run), unsaved }
    }

    /// Makes a call: counts its arguments, commits the script's earlier writes, waits for a permit, and does the work, all
    /// within the remaining time of the run. Work that is cut off is dropped, and what it [guards](Call::guard) is cleaned up
    /// in the background. A call has no time limit of its own; steps that stall have one, see [`Timeouts`].
    ///
    /// Fails with `limit` when the arguments of the calls in flight exceed the memory of the run, and with `timeout` when the
    /// run's time is over. An error that ends the run reports that the workspace failed.
    pub(crate) async fn call<A: Arguments, T>(
        &self,
        arguments: A,
        work: impl AsyncFnOnce(&Call<'_>, &A) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let _counted = self.run.part(arguments.bytes())?;
        let deadline = self.run.deadline;
        let time = deadline.saturating_duration_since(Instant::now());
        // The permit is taken inside the deadline: a call that waits for one is as stuck as one that waits for an answer.
        let _permit = timeout_at(deadline, self.enter()).await.map_err(|_| self.no_place(time))??;
        let call = Call { run: &self.run };
        let answer = timeout_at(deadline, work(&call, &arguments)).await;
        let answer = answer.unwrap_or_else(|_| Err(no_answer(time)));
        answer.map_err(|error| self.run.redactor().redact(error, &arguments))
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

    /// A call that waits for nothing.
    #[cfg(test)]
    pub(crate) fn passed(&self) -> Call<'_> {
        Call { run: &self.run }
    }

    /// Waits for the clean-up tasks of the run, a second at most.
    pub(crate) async fn settle(&self) {
        self.run.cleaning.close();
        let _in_time = timeout(CLEAN_UP_TIMEOUT, self.run.cleaning.wait()).await;
    }

    fn no_place(&self, time: Duration) -> Error {
        let most = self.run.most_calls;
        Error::new(
            ErrorCode::Timeout,
            format!("the call did not start within {}: {most} others may be in flight", whole(time)),
        )
    }
}

fn no_answer(time: Duration) -> Error {
    Error::new(ErrorCode::Timeout, format!("no answer within {}", whole(time)))
}

/// A duration in whole milliseconds, for messages.
fn whole(time: Duration) -> humantime::FormattedDuration {
    let milliseconds = time.as_micros().div_ceil(1_000).try_into().unwrap_or(u64::MAX);
    humantime::format_duration(Duration::from_millis(milliseconds))
}
