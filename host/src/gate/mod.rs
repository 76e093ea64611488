//! The one door to remote systems: what every call of an external namespace passes through.
//!
//! ```text
//! accessor.with(|mut access| access.get().gate())              the gate, for one call
//!   gate.call((conn, sql), async |call, (conn, sql)| { … })    arguments are counted → flush → permit → the work, within
//!                                                              the run's time
//!     call.secret(conn)                                        what the user stored under the name
//!     call.pool(&secret, || …)                                 the pool for it, shared by the runs of the host
//!     call.guard(connection, |connection| async { … })         cleaned up when the call is cut
//!     call.buffer()                                            counts what is kept of an answer
//! ```
//!
//! An error leaves it without the words of the secrets. Retrying is not done here: only the caller knows whether a call may
//! run twice.

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

/// How long what a cut call left at a remote system may take to be cleaned up.
pub(crate) const CLEAN_UP: Duration = Duration::from_secs(1);

/// What the runs of a host share of remote systems.
#[derive(Default)]
pub(crate) struct Remote {
    pools: AllPools,
    /// The cleaning-up of all runs.
    cleaning: TaskTracker,
}

impl Remote {
    /// Waits for the cleaning-up of all runs, those that were dropped included.
    pub(crate) async fn settle(&self) {
        self.cleaning.close();
        let _in_time = timeout(CLEAN_UP, self.cleaning.wait()).await;
        self.cleaning.reopen();
    }
}

/// The door of one run. Clones share it; each is for one call.
#[derive(Clone)]
pub(crate) struct Gate {
    run: Arc<Run>,
    /// What has to be on disk before the call may be noticed outside.
    unsaved: Option<Unsaved>,
}

struct Run {
    deadline: Instant,
    timeouts: Timeouts,
    permits: Semaphore,
    most_calls: usize,
    arguments: Arc<Buffers>,
    answers: Arc<Buffers>,
    /// Of arguments and answers, in bytes.
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

    /// The same door, with what calls keep counted in the budget of the run.
    pub(crate) fn counted_in(mut self, budget: &Budget) -> Self {
        // Nobody else has it yet.
        if let Some(run) = Arc::get_mut(&mut self.run) {
            let (arguments, answers) = run.most_kept;
            run.arguments = Arc::new(Buffers::arguments(arguments, budget.clone()));
            run.answers = Arc::new(Buffers::answers(answers, budget.clone()));
        }
        self
    }

    /// The same door for a call that may be noticed outside only when this is on disk.
    pub(crate) fn after(&self, unsaved: Option<Unsaved>) -> Self {
        Self { run: Arc::clone(&self.run), unsaved }
    }

    /// Makes a call: counts what it is given, puts on disk what the script wrote before it, waits for a permit, does the work.
    /// All of it has what is left of the run's time; then the work is dropped, and what it [guards](Call::guard) is cleaned
    /// up in the background. A call has no shorter time of its own: only steps that stall have one, see [`Timeouts`].
    ///
    /// Fails with `limit` when the calls in flight would keep more arguments than the run's memory, and with `timeout` past
    /// the run's time. An error that ends the run says that the workspace failed.
    pub(crate) async fn call<A: Arguments, T>(
        &self,
        arguments: A,
        work: impl AsyncFnOnce(&Call<'_>, &A) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let _counted = self.run.part(arguments.bytes())?;
        let deadline = self.run.deadline;
        let time = deadline.saturating_duration_since(Instant::now());
        // The permit is taken inside the deadline: a call that waits in line is as stuck as one that waits for an answer.
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

    /// Puts on disk what the script wrote, on a thread that may wait for it.
    async fn flush(&self) -> Result<(), Error> {
        let Some(unsaved) = self.unsaved.clone() else { return Ok(()) };
        spawn_blocking(move || unsaved.save()).await.map_err(Error::internal)?
    }

    /// A call that nothing holds up.
    #[cfg(test)]
    pub(crate) fn passed(&self) -> Call<'_> {
        Call { run: &self.run }
    }

    /// Waits until what the run's cut calls left is cleaned up, a second at most.
    pub(crate) async fn settle(&self) {
        self.run.cleaning.close();
        let _in_time = timeout(CLEAN_UP, self.run.cleaning.wait()).await;
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

/// A time as a message shows it: what is left of a run's has fractions of milliseconds.
fn whole(time: Duration) -> humantime::FormattedDuration {
    let milliseconds = time.as_micros().div_ceil(1_000).try_into().unwrap_or(u64::MAX);
    humantime::format_duration(Duration::from_millis(milliseconds))
}
