//! What belongs to one instance: the data of its store.

use std::sync::Arc;

use tokio::{task::spawn_blocking, time::Instant};
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use super::{memory::Memory, stdio::Stdio};
use crate::{
    Error, ErrorCode, Failure, Figures, Level, Limits,
    console::Console,
    gate::Gate,
    workspace::{Flushed, Lost, Session, Workspace},
};

/// The data of an instance's store.
pub(crate) struct State {
    pub(super) memory: Memory,
    pub(super) console: Console,
    pub(super) bytecode: Arc<[u8]>,
    pub(super) sleeping: usize,
    workspace: Option<Open>,
    gate: Gate,
    calls: u64,
    wasi: WasiCtx,
    resources: ResourceTable,
}

/// A run's way into its workspace.
struct Open {
    session: Session,
    workspace: Workspace,
    /// How many there were when the run began.
    commits: u64,
}

impl State {
    pub(super) fn new(console: Console, limits: &Limits, bytecode: Arc<[u8]>, gate: Gate) -> Self {
        let stdio = |level| Stdio { console: console.clone(), level };
        let wasi = WasiCtx::builder().stdout(stdio(Level::Info)).stderr(stdio(Level::Error)).build();
        Self {
            memory: Memory::new(limits.memory),
            bytecode,
            sleeping: 0,
            workspace: None,
            gate,
            calls: 0,
            wasi,
            resources: ResourceTable::new(),
            console,
        }
    }

    /// Gives the run its workspace; calls that wait for it give up at the deadline.
    pub(super) fn enter(&mut self, workspace: Workspace, deadline: Instant) {
        let console = self.console.clone();
        let listener = Box::new(move |flushed| match flushed {
            Flushed::Committed(commit) => console.release(commit),
            Flushed::Lost => console.discard(),
        });
        let session = workspace.session(deadline.into_std(), listener);
        self.workspace = Some(Open { session, commits: workspace.commits(), workspace });
    }

    /// The way into the workspace, for one call of a method of `g`.
    pub(crate) fn session(&mut self) -> Result<&mut Session, Error> {
        self.calls += 1;
        match &mut self.workspace {
            Some(open) => Ok(&mut open.session),
            None => Err(Error::new(ErrorCode::NoWorkspace, "this run has no workspace")),
        }
    }

    /// The way to a remote system, for one call of a method of `g`.
    #[allow(dead_code, reason = "the external namespaces use it, as they come")]
    pub(crate) fn gate(&mut self) -> Gate {
        self.calls += 1;
        self.gate.after(self.workspace.as_ref().and_then(|open| open.session.unsaved()))
    }

    /// What the script holds of the host's: a transaction.
    #[allow(dead_code, reason = "the external namespaces use it, as they come")]
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
            Ok(Err(Lost { calls, message })) => Err(Failure::Storage { lost_calls: calls, message }),
            Err(panicked) => Err(Failure::Storage { lost_calls: 0, message: panicked.to_string() }),
        }
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.resources }
    }
}
