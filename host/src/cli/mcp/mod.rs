//! `ghost mcp`: a server for AI clients (Model Context Protocol), on standard input and output or over HTTP.
//!
//! ```text
//! stdio, http ─► server (the protocol, by rmcp) ─► runs ─► Host
//!                       └► declarations, documents, prompts
//! ```
//!
//! Standard output carries only the protocol. Scripts run with MCP origin, on threads of their own, so that a script that
//! blocks its thread delays no message.

mod declarations;
mod documents;
mod http;
mod input;
mod log;
mod ordered;
mod prompts;
mod result;
mod runs;
mod schemas;
mod server;
mod stdio;
mod token;

use std::{
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use clap::Args;
use ghost::{
    Host, Instances, Limits, Origin,
    workspace::{Create, Workspace},
};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use super::{Exit, execute, not_started, report, units, workspace_args};
use http::HttpArgs;
use runs::{PARALLEL_RUNS, Runs};
use server::Server;

const HELP: &str = "Without --http, the client starts this command and speaks to it on standard input and output. The server \
ends when standard input is closed, and stops the scripts that are still running.

Scripts have no files, no network and no secrets: g.objectstore, g.documentdb, g.sqldb and g.clustersearch are blocked. \
The server creates no workspace; to create one: ghost init.

Examples:
  ghost mcp --workspace ~/project           for the configuration of a client
  ghost mcp --read-only --log runs.jsonl    scripts only read; logs each run
  ghost mcp --http 127.0.0.1:8000           prints the token for clients";

#[derive(Args)]
#[command(after_help = HELP)]
pub(crate) struct Mcp {
    #[command(flatten)]
    http: HttpArgs,
    /// Lets scripts only read: the methods of g.store, g.queue and g.search that write fail with BLOCKED
    #[arg(long)]
    read_only: bool,
    /// Appends one line of JSON to a file for each run: its time, the hash of its source, its cost and its outcome
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// The longest time of a run: 500ms, 10s, 5m; a client can ask for less [default: 60s]
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    timeout: Option<Duration>,
    /// The memory limit of a script: 64M, 1G [default: 128M]
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    max_memory: Option<u64>,
    /// The limit on the bytes that a run writes to the workspace: 64M, 1G [default: 1G]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    max_disk: Option<u64>,
    /// The folder that contains the workspace [default: GHOST_WORKSPACE, or the nearest folder upward that has one, or the
    /// current folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Runs scripts without a workspace
    #[arg(long, conflicts_with = "workspace")]
    no_workspace: bool,
    /// Prints the diagnostic log on standard error
    #[arg(short, long)]
    verbose: bool,
}

impl Mcp {
    pub(crate) fn run(self) -> Exit {
        execute::log(self.verbose);
        match self.serve() {
            Ok(exit) => exit,
            Err(message) => not_started(&message),
        }
    }

    fn serve(&self) -> Result<Exit, String> {
        let endpoint = self.http.endpoint()?;
        let workspace = self.workspace()?;
        let scripts = runtime(Builder::new_multi_thread().worker_threads(PARALLEL_RUNS).thread_name("ghost-script"))?;
        // Half of the time of a short run. The pool reserves address space, which the system may limit.
        let host = Host::builder()
            .instances(Instances::Pool(POOL))
            .build()
            .or_else(|_| Host::new())
            .map_err(|error| error.message)?;
        let log = self.log.as_deref().map(log::Log::open).transpose()?;
        let runs =
            Runs::new(host.clone(), scripts.handle().clone(), workspace.clone(), self.limits(), self.read_only, log);
        let interrupt_flag = Arc::new(AtomicBool::new(false));
        if let Some(workspace) = &workspace {
            workspace.interrupt_when(Arc::clone(&interrupt_flag));
        }
        let stop = CancellationToken::new();
        let server = Server::new(runs, stop.clone());
        let protocol = runtime(&mut Builder::new_current_thread())?;
        let served = protocol.block_on(async {
            tokio::select! {
                // Polled first, so that a signal is handled from the start.
                biased;
                signal = execute::interrupted(&interrupt_flag) => match signal {
                    Ok(()) => Ok(Exit::Interrupted),
                    Err(error) => Err(format!("signal handlers can't be installed: {error}")),
                },
                served = serve(server, endpoint, stop.clone()) => served.map(|()| Exit::Success),
            }
        });
        stop.cancel();
        protocol.block_on(host.finish_cleanup());
        // A read of standard input can't be cancelled, and a script may wait for another process.
        protocol.shutdown_background();
        scripts.shutdown_timeout(SHUTDOWN);
        let exit = served?;
        Ok(close(workspace, exit))
    }

    /// Returns the workspace, which is never created: an AI client does not decide where a workspace is.
    fn workspace(&self) -> Result<Option<Workspace>, String> {
        if self.no_workspace {
            return Ok(None);
        }
        Ok(Some(workspace_args::folder(self.workspace.as_deref())?.workspace(Create::Never)))
    }

    fn limits(&self) -> Limits {
        let mut limits = Limits::of(Origin::Mcp);
        limits.time = self.timeout.unwrap_or(limits.time);
        limits.memory = self.max_memory.unwrap_or(limits.memory);
        limits.disk = self.max_disk.or(limits.disk);
        limits
    }
}

/// One instance for each script that runs. A script that is compiled has the place of a run.
const POOL: u32 = PARALLEL_RUNS as u32;
/// How long the end of the server waits for scripts that it has stopped.
const SHUTDOWN: Duration = Duration::from_secs(1);

fn runtime(builder: &mut Builder) -> Result<Runtime, String> {
    builder.enable_all().build().map_err(|error| format!("the server can't start: {error}"))
}

async fn serve(server: Server, endpoint: Option<http::Endpoint>, stop: CancellationToken) -> Result<(), String> {
    match endpoint {
        Some(endpoint) => http::serve(server, endpoint, stop).await,
        None => stdio::serve(server, stop).await,
    }
}

fn close(workspace: Option<Workspace>, exit: Exit) -> Exit {
    let closed = workspace.as_ref().map_or(Ok(()), Workspace::close);
    execute::release(workspace, Instant::now() + SHUTDOWN);
    match closed {
        Ok(()) => exit,
        Err(error) => {
            report::error(&error.message);
            Exit::Failed
        }
    }
}
