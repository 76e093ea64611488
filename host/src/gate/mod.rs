//! The one door to remote systems: what every call of an external namespace passes through.
//!
//! ```text
//! accessor.with(|mut access| access.get().gate())     the gate, for one call; given(bytes) counts its arguments
//!   gate.call(async { … })                            flush → permit → the work, within the run's time
//!     gate.secret("conn")                             what the user stored under the name
//!     gate.clients().sqldb.get(&secret, …)            the pool for it, shared by the runs of the host
//!     gate.hold(connection, |connection| async { … }) cleaned up when the call is cut
//!     gate.buffer()                                   counts what is kept of an answer
//! ```
//!
//! Retrying is not done here: only the caller knows whether a call may run twice.

mod buffer;
mod held;
mod pools;
#[cfg(test)]
mod tests;
pub(crate) mod tls;

use std::{future::Future, sync::Arc, time::Duration};

use tokio::{
    sync::{Semaphore, SemaphorePermit},
    task::spawn_blocking,
    time::{Instant, timeout, timeout_at},
};
use tokio_util::task::TaskTracker;

use crate::{
    Error, ErrorCode, Limits, Timeouts,
    budget::Budget,
    g::Clients,
    secrets::{self, Secret, Secrets},
    workspace::Unsaved,
};
pub(crate) use buffer::Buffer;
use buffer::Buffers;
pub(crate) use held::Held;
pub(crate) use pools::{Pool, Pools};

/// How long what a cut call left at a remote system may take to be cleaned up.
pub(crate) const CLEAN_UP: Duration = Duration::from_secs(1);

/// What the runs of a host share of remote systems.
#[derive(Default)]
pub(crate) struct Remote {
    clients: Clients,
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
    /// What the call was given, counted until the last clone is dropped.
    #[expect(dead_code, reason = "it counts by being there")]
    arguments: Option<Arc<Buffer>>,
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
    remote: Arc<Remote>,
    cleaning: TaskTracker,
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
            remote,
            cleaning: TaskTracker::new(),
        };
        Self { run: Arc::new(run), unsaved: None, arguments: None }
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
        Self { run: Arc::clone(&self.run), unsaved, arguments: None }
    }

    /// The door for a call that was given so many bytes, which the host keeps until the call has ended.
    ///
    /// Fails with `limit` when all calls together would keep more than the run's memory.
    pub(crate) fn given(self, bytes: usize) -> Result<Self, Error> {
        let arguments = Some(Arc::new(self.part(bytes)?));
        Ok(Self { arguments, ..self })
    }

    /// Counts a part of what a call is given, until what comes back is dropped. Fails as [`given`](Self::given) does.
    pub(crate) fn part(&self, bytes: usize) -> Result<Buffer, Error> {
        let mut part = Buffer::new(Arc::clone(&self.run.arguments));
        part.grow(bytes)?;
        Ok(part)
    }

    /// Makes a call: puts on disk what the script wrote before it, waits for a permit, does the work. All of it has what is
    /// left of the run's time; then the work is dropped, and what it holds (see [`hold`](Self::hold)) is cleaned up beside.
    /// A call has no shorter time of its own: only steps that stall have one, see [`Timeouts`].
    ///
    /// Fails with `timeout` past that time. An error that ends the run says that the workspace failed.
    pub(crate) async fn call<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let deadline = self.run.deadline;
        let time = deadline.saturating_duration_since(Instant::now());
        // The permit is taken inside the deadline: a call that waits in line is as stuck as one that waits for an answer.
        let _permit = timeout_at(deadline, self.enter()).await.map_err(|_| self.no_place(time))??;
        timeout_at(deadline, work).await.map_err(|_| no_answer(time))?
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

    /// What the user stored under a name.
    ///
    /// Fails with `invalid-argument` for a name that none can have, and with `secret-not-found`.
    pub(crate) async fn secret(&self, name: &str) -> Result<Secret, Error> {
        secrets::check_name(name)?;
        let Some(secrets) = self.run.secrets.clone() else { return Err(secrets::not_found(name)) };
        let owned = name.to_owned();
        let found = spawn_blocking(move || secrets.get(&owned)).await.map_err(Error::internal)??;
        found.ok_or_else(|| secrets::not_found(name))
    }

    /// The pools of connections, which the runs of the process share.
    pub(crate) fn clients(&self) -> &Clients {
        &self.run.remote.clients
    }

    /// How long the steps of a call may take.
    pub(crate) fn timeouts(&self) -> &Timeouts {
        &self.run.timeouts
    }

    /// Counts what is kept of an answer until the call has ended.
    pub(crate) fn buffer(&self) -> Buffer {
        Buffer::new(Arc::clone(&self.run.answers))
    }

    /// Holds what must not just be dropped, when the call is cut or the run ends: `clean_up` then has a second for it.
    pub(crate) fn hold<R, F>(&self, resource: R, clean_up: impl FnOnce(R) -> F + Send + 'static) -> Held<R>
    where
        R: Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        Held::new(resource, [self.run.cleaning.clone(), self.run.remote.cleaning.clone()], clean_up)
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
