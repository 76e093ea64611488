//! Runs scripts for clients: a bounded number at a time, each stopped when its client cancels it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use ghost::{ConsoleSink, Failure, Host, Limits, Origin, Outcome, RunOptions, Script, workspace::Workspace};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::task::AbortOnDropHandle;

use super::log::{Entry, Log};

/// How many scripts run at a time; further ones wait.
pub(super) const PARALLEL_RUNS: usize = 8;
/// How many scripts may wait.
pub(super) const WAITING_RUNS: usize = 64;
/// The name of the script in positions.
const NAME: &str = "script.js";

/// Runs scripts with MCP origin.
pub(super) struct Runs {
    host: Host,
    runtime: Handle,
    workspace: Option<Workspace>,
    limits: Limits,
    read_only: bool,
    log: Option<Log>,
    slots: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// A script to run.
pub(super) struct Job {
    pub(super) source: String,
    /// The argument of `main`, as JSON.
    pub(super) input: Option<String>,
    /// The time limit, if it is shorter than that of the server.
    pub(super) time: Option<Duration>,
    /// The sink for the console; without one, the output is in the outcome.
    pub(super) console: Option<ConsoleSink>,
}

/// How a job ended.
pub(super) enum End {
    Ran(Box<Outcome>),
    NotCompiled(Failure),
    Stopped(Stopped),
}

/// Why a script did not run to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// Too many scripts are waiting.
    Refused,
    /// The client cancelled it, or is gone.
    Cancelled,
    Panicked,
}

impl Stopped {
    /// The code of its error.
    pub(super) fn code(self) -> &'static str {
        match self {
            Self::Refused => "BUSY",
            Self::Cancelled => "CANCELLED",
            Self::Panicked => "INTERNAL",
        }
    }
}

impl Runs {
    pub(super) fn new(
        host: Host,
        runtime: Handle,
        workspace: Option<Workspace>,
        limits: Limits,
        read_only: bool,
        log: Option<Log>,
    ) -> Self {
        let slots = Arc::new(Semaphore::new(PARALLEL_RUNS));
        Self { host, runtime, workspace, limits, read_only, log, slots, waiting: AtomicUsize::new(0) }
    }

    /// The limits of each run.
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether scripts may only read.
    pub(super) fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Runs a script. When `cancelled` completes, the script is stopped; what its calls wrote stays.
    pub(super) async fn run(&self, job: Job, cancelled: impl Future<Output = ()>) -> End {
        let mut entry = Entry::of(&job.source);
        let started = Instant::now();
        let end = self.on_a_slot(self.execute(job), cancelled).await.unwrap_or_else(End::Stopped);
        if let Some(log) = &self.log {
            entry.end(&end, started.elapsed());
            log.write(&entry);
        }
        end
    }

    /// Compiles a script without running it.
    pub(super) async fn check(
        &self,
        source: String,
        cancelled: impl Future<Output = ()>,
    ) -> Result<Result<(), Failure>, Stopped> {
        let (host, limits) = (self.host.clone(), self.limits);
        let compile = async move { Script::from_source_within(&host, NAME, &source, &limits).await.map(drop) };
        self.on_a_slot(compile, cancelled).await
    }

    /// Does work on the threads of the scripts as soon as there is a slot. The slot is released when the work has ended or
    /// was dropped.
    async fn on_a_slot<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
        cancelled: impl Future<Output = ()>,
    ) -> Result<T, Stopped> {
        let worked = async {
            let slot = self.slot().await.ok_or(Stopped::Refused)?;
            let work = async move {
                let done = work.await;
                drop(slot);
                done
            };
            // Dropping the handle stops the work.
            let working = AbortOnDropHandle::new(self.runtime.spawn(work));
            working.await.map_err(|error| if error.is_panic() { Stopped::Panicked } else { Stopped::Cancelled })
        };
        tokio::select! {
            biased;
            () = cancelled => Err(Stopped::Cancelled),
            done = worked => done,
        }
    }

    /// Waits for a slot; none when too many scripts are waiting.
    async fn slot(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() {
            return Some(slot);
        }
        let _waiting = Waiting::of(&self.waiting)?;
        // The semaphore is never closed.
        Arc::clone(&self.slots).acquire_owned().await.ok()
    }

    /// Compiles and runs a script.
    fn execute(&self, job: Job) -> impl Future<Output = End> + Send + 'static {
        let host = self.host.clone();
        let mut limits = self.limits;
        limits.time = job.time.unwrap_or(limits.time).min(limits.time);
        let mut options = RunOptions {
            workspace: self.workspace.clone(),
            read_only: self.read_only,
            arguments: job.input.into_iter().collect(),
            limits,
            console: job.console,
            ..RunOptions::of(Origin::Mcp)
        };
        async move {
            options.since = Some(Instant::now());
            match Script::from_source_within(&host, NAME, &job.source, &limits).await {
                Ok(script) => End::Ran(Box::new(host.run(&script, options).await)),
                Err(failure) => End::NotCompiled(failure),
            }
        }
    }
}

/// A place among those that wait.
struct Waiting<'w>(&'w AtomicUsize);

impl<'w> Waiting<'w> {
    fn of(waiting: &'w AtomicUsize) -> Option<Self> {
        let before = waiting.fetch_add(1, Ordering::Relaxed);
        let place = Self(waiting);
        (before < WAITING_RUNS).then_some(place)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
