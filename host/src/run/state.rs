//! The data of the Wasmtime `Store` of a run.

use std::{mem, sync::Arc};

use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    task::spawn_blocking,
    time::Instant,
};
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use super::{Checkouts, Files, LeaseKeeper, memory::Memory, stdio::Stdio};
use crate::{
    Error, ErrorCode, Failure, Figures, Level, Limits,
    budget::Budget,
    console::Console,
    functions::RunFunctions,
    gate::Gate,
    workspace::{LostCalls, Session, TransactionEnd, WaitingCall, Workspace},
};

/// The data of the Wasmtime `Store` of a run.
pub(crate) struct State {
    pub(crate) memory: Memory,
    pub(super) console: Console,
    pub(super) bytecode: Arc<[u8]>,
    /// The permits for sleeps. A dropped sleep releases its permit, too.
    pub(super) sleeps: Arc<Semaphore>,
    waiting_calls: Arc<Semaphore>,
    checkouts: Checkouts,
    workspace: Option<WorkspaceAccess>,
    is_read_only: bool,
    /// Notified when changes that the run made or saw are lost.
    lost: Arc<Notify>,
    gate: Gate,
    files: Arc<Files>,
    functions: RunFunctions,
    calls: u64,
    /// Notices of the host about the run.
    notices: Vec<String>,
    budget: Budget,
    wasi: WasiCtx,
    resources: ResourceTable,
}

/// The maximum number of objects of the host that an instance may hold: WASI streams, pollables, transactions.
const MAX_RESOURCES: usize = 10_000;

/// The permit of a call that waits for an item, and the record of its wait in the workspace.
type WaitingPermit = (OwnedSemaphorePermit, WaitingCall);

/// A run's access to its workspace.
struct WorkspaceAccess {
    session: Session,
    workspace: Workspace,
    /// The number of commits when the run began.
    commits: u64,
}

impl State {
    pub(crate) fn new(console: Console, limits: &Limits, bytecode: Arc<[u8]>, gate: Gate) -> Self {
        let budget = Budget::of(limits.memory);
        let (console, gate) = (console.with_budget(&budget), gate.with_budget(&budget));
        let stdio = |level| Stdio::of(console.clone(), level);
        let mut resources = ResourceTable::new();
        resources.set_max_capacity(MAX_RESOURCES);
        let wasi = WasiCtx::builder().stdout(stdio(Level::Info)).stderr(stdio(Level::Error)).build();
        Self {
            memory: Memory::new(limits.memory, budget.clone()),
            bytecode,
            sleeps: Arc::new(Semaphore::new(super::host::SLEEPS)),
            waiting_calls: Arc::new(Semaphore::new(limits.data.waiting_calls)),
            checkouts: Checkouts::default(),
            workspace: None,
            is_read_only: false,
            lost: Arc::default(),
            gate,
            files: Arc::default(),
            functions: RunFunctions::default(),
            calls: 0,
            notices: Vec::new(),
            budget,
            wasi,
            resources,
            console,
        }
    }

    /// Sets whether the run may only read its workspace.
    pub(crate) fn set_read_only(&mut self, is_read_only: bool) {
        self.is_read_only = is_read_only;
    }

    /// Sets the folder and the observer for transfers of local files. Without this call, the run has no local files.
    pub(crate) fn set_files(&mut self, files: Files) {
        self.files = Arc::new(files);
    }

    /// Returns the access of the run to local files.
    pub(crate) fn files(&self) -> Arc<Files> {
        Arc::clone(&self.files)
    }

    /// Sets the functions that the embedder added to `g`. Without this call, there are none.
    pub(crate) fn set_functions(&mut self, functions: RunFunctions) {
        self.functions = functions;
    }

    /// Returns the functions that the embedder added to `g`.
    pub(crate) fn functions(&self) -> RunFunctions {
        self.functions.clone()
    }

    /// Sets the workspace of the run. Calls that wait for it stop at the deadline.
    pub(crate) fn enter(&mut self, workspace: Workspace, deadline: Instant, limits: &Limits) {
        let (console, lost, checkouts) = (self.console.clone(), Arc::clone(&self.lost), self.checkouts.clone());
        let listener = Box::new(move |end| match end {
            TransactionEnd::Committed(commit) => console.release(commit),
            TransactionEnd::Discarded(number) => {
                console.discard();
                checkouts.lose(number);
                lost.notify_one();
            }
        });
        let session = workspace.session(deadline.into_std(), listener);
        let session = session.with_disk_quota(limits.disk).with_limits(limits.data).with_budget(self.budget.clone());
        self.workspace = Some(WorkspaceAccess { session, commits: workspace.commits(), workspace });
    }

    /// Returns what is notified when changes that the run made or saw are lost. The run then has to end at once.
    pub(crate) fn loss_notification(&self) -> Arc<Notify> {
        Arc::clone(&self.lost)
    }

    /// Returns the failure of a run whose changes are lost.
    pub(crate) fn loss(&self) -> Failure {
        self.workspace.as_ref().and_then(|access| access.session.lost()).unwrap_or_default().into()
    }

    /// Returns the session for one call of a method of `g` that writes.
    pub(crate) async fn session_to_write(&mut self) -> Result<&mut Session, Error> {
        self.calls += 1;
        self.check_may_write()?;
        self.wait_for_workspace().await?;
        self.current_session()
    }

    /// Fails if the run may only read. A method that can write fails even if it would change nothing.
    fn check_may_write(&self) -> Result<(), Error> {
        match self.is_read_only {
            true => {
                Err(Error::new(ErrorCode::Blocked, "the run may only read the workspace, and this method writes to it"))
            }
            false => Ok(()),
        }
    }

    /// Returns the session for one call of a method of `g` that only reads.
    pub(crate) async fn session(&mut self) -> Result<&mut Session, Error> {
        self.calls += 1;
        self.wait_for_workspace().await?;
        self.current_session()
    }

    /// Waits until this process has the workspace, without blocking the thread: another process may keep it for
    /// seconds. If another process takes the workspace again before the call, the call itself waits, and blocks the thread.
    async fn wait_for_workspace(&mut self) -> Result<(), Error> {
        let Some(access) = self.workspace.as_ref().filter(|access| !access.workspace.is_open()) else { return Ok(()) };
        let (workspace, deadline) = (access.workspace.clone(), access.session.deadline());
        workspace.open_in_background(deadline).await
    }

    /// Returns the session, without counting a call and without waiting for the workspace.
    pub(crate) fn current_session(&mut self) -> Result<&mut Session, Error> {
        match &mut self.workspace {
            Some(access) => Ok(&mut access.session),
            None => Err(no_workspace()),
        }
    }

    /// Returns the run's checkouts, and the session for one call that starts or ends one.
    pub(crate) async fn checkouts(&mut self) -> Result<(&Checkouts, &mut Session), Error> {
        self.calls += 1;
        self.check_may_write()?;
        self.wait_for_workspace().await?;
        self.checkouts_of_waiter()
    }

    /// Returns the same for a waiter, which polls several times in one call.
    pub(crate) fn checkouts_of_waiter(&mut self) -> Result<(&Checkouts, &mut Session), Error> {
        match &mut self.workspace {
            Some(access) => Ok((&self.checkouts, &mut access.session)),
            None => Err(no_workspace()),
        }
    }

    /// Returns what renews the leases of the run's checkouts, and aborts the checkouts of a run that fails.
    pub(crate) fn lease_keeper(&self, workspace: Option<Workspace>) -> LeaseKeeper {
        LeaseKeeper::new(self.checkouts.clone(), workspace)
    }

    /// Returns the workspace for a call that waits for an item, and a permit to wait.
    pub(crate) fn begin_to_wait(&mut self) -> Result<(Workspace, WaitingPermit), Error> {
        self.calls += 1;
        self.check_may_write()?;
        let session = self.current_session()?;
        let (waiting, limit) = (session.begin_to_wait(), session.limits().waiting_calls);
        let workspace = self.workspace.as_ref().map(|access| access.workspace.clone());
        let place = Arc::clone(&self.waiting_calls).try_acquire_owned();
        match (workspace, place) {
            (Some(workspace), Ok(place)) => Ok((workspace, (place, waiting))),
            _ => {
                let message = format!("{limit} waits of the run are in progress, which is the limit");
                Err(Error::new(ErrorCode::Limit, message))
            }
        }
    }

    /// Counts a call of a method of `g` that has no other access to the state.
    pub(crate) fn count_call(&mut self) {
        self.calls += 1;
    }

    /// Returns the gate for one call of a method of `g`.
    pub(crate) fn gate(&mut self) -> Gate {
        self.calls += 1;
        self.gate.after_saving(self.workspace.as_ref().and_then(|access| access.session.unsaved()))
    }

    /// Adds a notice, which is neither in the result nor in the console.
    pub(crate) fn add_notice(&mut self, notice: String) {
        self.notices.push(notice);
    }

    pub(crate) fn has_notices(&self) -> bool {
        !self.notices.is_empty()
    }

    /// Returns the notices, and removes them.
    pub(crate) fn take_notices(&mut self) -> Vec<String> {
        mem::take(&mut self.notices)
    }

    /// Returns the resources of the host that the script holds, such as transactions.
    pub(crate) fn resources(&mut self) -> &mut ResourceTable {
        &mut self.resources
    }

    /// Ends the run: cleans up, and waits until all its changes are durable.
    pub(crate) async fn end(mut self) -> (Result<(), Failure>, Figures) {
        let (mut saved, mut commits) = (Ok(()), 0);
        // Resources that the script still holds on external systems are cleaned up too.
        drop(self.resources);
        self.gate.finish_cleanup().await;
        if let Some(access) = self.workspace.take() {
            let (workspace, before) = (access.workspace.clone(), access.commits);
            if access.session.has_unsaved() {
                saved = access.save().await;
            }
            commits = workspace.commits() - before;
        }
        let figures =
            Figures { peak_memory: self.memory.peak(), host_calls: self.calls, commits, ..Figures::default() };
        (saved, figures)
    }
}

fn no_workspace() -> Error {
    Error::new(ErrorCode::NoWorkspace, "this run has no workspace")
}

impl WorkspaceAccess {
    /// Makes the run's changes durable, on a thread that may block.
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

impl From<LostCalls> for Failure {
    fn from(LostCalls { calls, message }: LostCalls) -> Self {
        Self::Storage { lost_calls: calls, message }
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.resources }
    }
}
