//! What belongs to one instance: the data of its store.

use std::{mem, sync::Arc};

use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    task::spawn_blocking,
    time::Instant,
};
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use super::{memory::Memory, stdio::Stdio};
use crate::{
    Error, ErrorCode, Failure, Figures, Level, Limits,
    budget::Budget,
    console::Console,
    g::queue::{Held, LIMITS},
    gate::Gate,
    workspace::{Flushed, Lost, Session, Workspace},
};

/// The data of an instance's store.
pub(crate) struct State {
    pub(super) memory: Memory,
    pub(super) console: Console,
    pub(super) bytecode: Arc<[u8]>,
    /// Given back also by a sleep that is dropped.
    pub(super) sleeps: Arc<Semaphore>,
    waits: Arc<Semaphore>,
    held: Held,
    workspace: Option<Open>,
    /// Something that the run wrote or read is given up.
    lost: Arc<Notify>,
    gate: Gate,
    calls: u64,
    /// What the host has to say of the run.
    notices: Vec<String>,
    budget: Budget,
    wasi: WasiCtx,
    resources: ResourceTable,
}

/// How many things of the host's an instance may hold: streams, what to wait on, transactions.
const RESOURCES: usize = 10_000;

/// A run's way into its workspace.
struct Open {
    session: Session,
    workspace: Workspace,
    /// How many there were when the run began.
    commits: u64,
}

impl State {
    pub(super) fn new(console: Console, limits: &Limits, bytecode: Arc<[u8]>, gate: Gate) -> Self {
        let budget = Budget::of(limits.memory);
        let (console, gate) = (console.counted_in(&budget), gate.counted_in(&budget));
        let stdio = |level| Stdio::of(console.clone(), level);
        let mut resources = ResourceTable::new();
        resources.set_max_capacity(RESOURCES);
        let wasi = WasiCtx::builder().stdout(stdio(Level::Info)).stderr(stdio(Level::Error)).build();
        Self {
            memory: Memory::new(limits.memory, budget.clone()),
            bytecode,
            sleeps: Arc::new(Semaphore::new(super::host::SLEEPS)),
            waits: Arc::new(Semaphore::new(LIMITS.waits)),
            held: Held::default(),
            workspace: None,
            lost: Arc::default(),
            gate,
            calls: 0,
            notices: Vec::new(),
            budget,
            wasi,
            resources,
            console,
        }
    }

    /// Gives the run its workspace; calls that wait for it give up at the deadline.
    pub(super) fn enter(&mut self, workspace: Workspace, deadline: Instant, limits: &Limits) {
        let (console, lost, held) = (self.console.clone(), Arc::clone(&self.lost), self.held.clone());
        let listener = Box::new(move |flushed| match flushed {
            Flushed::Committed(commit) => console.release(commit),
            Flushed::Lost(number) => {
                console.discard();
                held.lose(number);
                lost.notify_one();
            }
        });
        let session = workspace.session(deadline.into_std(), listener);
        let session = session.limited_to(limits.disk).with_budget(self.budget.clone());
        self.workspace = Some(Open { session, commits: workspace.commits(), workspace });
    }

    /// Told when something that the run wrote or read is given up: it is to end at once.
    pub(super) fn told_of_loss(&self) -> Arc<Notify> {
        Arc::clone(&self.lost)
    }

    /// What the run fails with once it was told of a loss.
    pub(super) fn loss(&self) -> Failure {
        self.workspace.as_ref().and_then(|open| open.session.lost()).unwrap_or_default().into()
    }

    /// The way into the workspace, for one call of a method of `g`.
    pub(crate) fn session(&mut self) -> Result<&mut Session, Error> {
        self.calls += 1;
        self.open_session()
    }

    /// The same for what is no call of the script's.
    pub(crate) fn open_session(&mut self) -> Result<&mut Session, Error> {
        match &mut self.workspace {
            Some(open) => Ok(&mut open.session),
            None => Err(Error::new(ErrorCode::NoWorkspace, "this run has no workspace")),
        }
    }

    /// What the run has checked out of queues.
    pub(crate) fn held(&self) -> &Held {
        &self.held
    }

    /// The workspace for a call that waits for an item, and its place among those that wait.
    pub(crate) fn begin_to_wait(&mut self) -> Result<(Workspace, OwnedSemaphorePermit), Error> {
        self.session()?;
        let workspace = self.workspace.as_ref().map(|open| open.workspace.clone());
        let place = Arc::clone(&self.waits).try_acquire_owned();
        match (workspace, place) {
            (Some(workspace), Ok(place)) => Ok((workspace, place)),
            _ => {
                let message = format!("{} waits of the run are in progress, which is the limit", LIMITS.waits);
                Err(Error::new(ErrorCode::Limit, message))
            }
        }
    }

    /// The way to a remote system, for one call of a method of `g`.
    pub(crate) fn gate(&mut self) -> Gate {
        self.calls += 1;
        self.gate.after(self.workspace.as_ref().and_then(|open| open.session.unsaved()))
    }

    /// Says something of the run that is neither its result nor its console.
    pub(crate) fn notify(&mut self, notice: String) {
        self.notices.push(notice);
    }

    pub(crate) fn has_notices(&self) -> bool {
        !self.notices.is_empty()
    }

    /// What there is to say, once.
    pub(super) fn take_notices(&mut self) -> Vec<String> {
        mem::take(&mut self.notices)
    }

    /// What the script holds of the host's: a transaction.
    pub(crate) fn resources(&mut self) -> &mut ResourceTable {
        &mut self.resources
    }

    /// Waits until what the run wrote is on disk.
    pub(super) async fn end(mut self) -> (Result<(), Failure>, Figures) {
        let (mut saved, mut commits) = (Ok(()), 0);
        // What the script still holds at remote systems is cleaned up too.
        drop(self.resources);
        self.gate.settle().await;
        if let Some(open) = self.workspace.take() {
            let (workspace, before) = (open.workspace.clone(), open.commits);
            if open.session.has_unsaved() {
                saved = open.save().await;
            }
            commits = workspace.commits() - before;
        }
        let figures =
            Figures { peak_memory: self.memory.peak(), host_calls: self.calls, commits, ..Figures::default() };
        (saved, figures)
    }
}

impl Open {
    /// Waits for the disk on a thread that may wait.
    async fn save(self) -> Result<(), Failure> {
        let mut session = self.session;
        let finished = spawn_blocking(move || session.finish()).await;
        match finished {
            Ok(Ok(())) => Ok(()),
            Ok(Err(lost)) => Err(lost.into()),
            Err(panicked) => Err(Failure::Storage { lost_calls: 0, message: panicked.to_string() }),
        }
    }
}

impl From<Lost> for Failure {
    fn from(Lost { calls, message }: Lost) -> Self {
        Self::Storage { lost_calls: calls, message }
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.resources }
    }
}
