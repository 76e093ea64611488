//! Runs a script and tells what came of it.

use std::{
    cell::OnceCell,
    io::{self, IsTerminal},
    panic::{self, AssertUnwindSafe},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use ghost::{Failure, Host, Limits, Outcome, RunOptions, workspace::Workspace};
use indicatif::BinaryBytes;
use tokio::signal::unix::{SignalKind, signal};

use super::{Exit, deliver, interrupt, json, memory, not_started, report, table::counted, workspace_in};

/// What is to be run.
pub(crate) struct Job {
    /// What stacks call the script.
    pub(crate) name: String,
    pub(crate) content: Content,
    pub(crate) options: RunOptions,
    /// The folder of the workspace.
    pub(crate) folder: Option<PathBuf>,
    /// Whether the cost is told.
    pub(crate) verbose: bool,
}

/// A script as it was read.
pub(crate) enum Content {
    Source(String),
    Component(Arc<[u8]>),
}

impl Content {
    fn source(&self) -> Option<&str> {
        match self {
            Self::Source(source) => Some(source),
            Self::Component(_) => None,
        }
    }
}

/// What ended a job.
enum End {
    NotStarted(Failure),
    Ran(Outcome),
    Interrupted,
}

/// Sets up the log, which is standard error, or nothing.
pub(crate) fn log(verbose: bool) {
    if verbose {
        let filter = tracing_subscriber::EnvFilter::new("ghost=debug");
        let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
        log.with_ansi(report::has_colour()).init();
    }
}

/// Runs a job to its end.
pub(crate) fn run(job: Job) -> Exit {
    panic::catch_unwind(AssertUnwindSafe(|| attempt(job))).unwrap_or_else(|_| {
        report::message("internal error: run it again with --verbose to see where");
        Exit::Failed
    })
}

/// How long what there is to say may take after the run, when nobody reads it.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How soon a signal is heard then.
const LOOK: Duration = Duration::from_millis(20);

fn attempt(mut job: Job) -> Exit {
    let started = Instant::now();
    let deadline = started + job.options.limits.time;
    job.options.since = Some(started);
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return not_started(&format!("the host can't start: {error}")),
    };
    let workspace = job.options.workspace.clone();
    let heard = Arc::new(AtomicBool::new(false));
    if let Some(workspace) = &workspace {
        workspace.interrupt_when(Arc::clone(&heard));
    }
    let host = OnceCell::new();
    let end = runtime.block_on(async {
        tokio::select! {
            // Polled first, so that a signal is heard from the start.
            biased;
            signal = interrupted(&heard) => signal.map(|()| End::Interrupted),
            end = start(&host, &job.name, &job.content, job.options) => Ok(end),
        }
    });
    // What an interrupted run had begun at other systems is cancelled there.
    if let Some(host) = host.get() {
        runtime.block_on(host.settle());
    }
    // What a run has left behind may wait for another process for seconds.
    runtime.shutdown_background();
    let end = match end {
        Ok(end) => end,
        Err(error) => return not_started(&format!("signals can't be heard: {error}")),
    };
    // Closed before anything is told, so that who reads the result finds the workspace free.
    let closed = workspace.as_ref().map_or(Ok(()), Workspace::close);
    let made = job.folder.filter(|_| workspace.as_ref().is_some_and(Workspace::was_made));
    leave(workspace, if matches!(end, End::Interrupted) { Instant::now() } else { deadline });
    let patience = end.patience(deadline, heard);
    told(patience, move || {
        if let Some(folder) = made {
            report::notice(&format!("made a workspace in {}", workspace_in(&folder)));
        }
        let exit = tell(&end, job.content.source(), job.verbose);
        match closed {
            Ok(()) => exit,
            Err(error) => {
                report::message(&error.message);
                if matches!(exit, Exit::Success | Exit::Interrupted) { Exit::Failed } else { exit }
            }
        }
    })
}

/// Lets go of a workspace. That waits for an index that is being put in order, but not past this moment: it is checked when
/// it is opened next.
fn leave(workspace: Option<Workspace>, until: Instant) {
    let (sender, left) = mpsc::channel();
    thread::spawn(move || {
        drop(workspace);
        sender.send(())
    });
    // Out of time, or left: either way there is nothing more to wait for.
    let _left = left.recv_timeout(until.saturating_duration_since(Instant::now()));
}

/// How long a reader is waited for, and the exit status when it takes nothing.
enum Patience {
    Until(Instant, Exit),
    /// A result is waited for until the flag is up.
    UntilInterrupted(Arc<AtomicBool>),
}

impl End {
    fn patience(&self, deadline: Instant, heard: Arc<AtomicBool>) -> Patience {
        let soon = Instant::now() + LAST_WORDS;
        match self {
            Self::Interrupted => Patience::Until(soon, Exit::Interrupted),
            Self::NotStarted(failure) => Patience::Until(deadline.max(soon), Exit::before_start(failure)),
            Self::Ran(Outcome { result: Err(failure), .. }) => Patience::Until(deadline.max(soon), Exit::of(failure)),
            Self::Ran(_) => Patience::UntilInterrupted(heard),
        }
    }
}

impl Patience {
    /// The exit status, once there is no more of it.
    fn is_over(&self) -> Option<Exit> {
        match self {
            Self::Until(until, exit) => (Instant::now() >= *until).then_some(*exit),
            Self::UntilInterrupted(heard) => heard.load(Ordering::Acquire).then_some(Exit::Interrupted),
        }
    }
}

/// Tells something on a thread of its own: who should read it may never do so.
fn told(patience: Patience, tell: impl FnOnce() -> Exit + Send + 'static) -> Exit {
    let (sender, told) = mpsc::channel();
    thread::spawn(move || sender.send(tell()));
    loop {
        match told.recv_timeout(LOOK) {
            Ok(exit) => return exit,
            Err(RecvTimeoutError::Timeout) => {
                if let Some(exit) = patience.is_over() {
                    return exit;
                }
            }
            Err(RecvTimeoutError::Disconnected) => panic!("what came of the run could not be told"),
        }
    }
}

async fn start(host: &OnceCell<Host>, name: &str, content: &Content, options: RunOptions) -> End {
    match compile(host, name, content, &options.limits).await {
        Ok((host, script)) => End::Ran(host.run(&script, options).await),
        Err(failure) => End::NotStarted(failure),
    }
}

async fn compile<'a>(
    host: &'a OnceCell<Host>,
    name: &str,
    content: &Content,
    limits: &Limits,
) -> Result<(&'a Host, ghost::Script), Failure> {
    let made = Host::new().map_err(|error| Failure::NotStarted(error.message))?;
    let host = host.get_or_init(|| made);
    let script = match content {
        Content::Source(source) => host.compile_within(name, source, limits).await?,
        Content::Component(bytes) => tokio::select! {
            loaded = host.load_within(Arc::clone(bytes), limits) => loaded?,
            () = memory::beyond(limits.memory) => return Err(Failure::Compiler { limit: limits.memory }),
        },
    };
    Ok((host, script))
}

/// Returns at the first SIGINT or SIGTERM. The second ends the program at once, whatever it does.
async fn interrupted(heard: &Arc<AtomicBool>) -> io::Result<()> {
    interrupt::raise(heard)?;
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}

/// Prints the result, or why there is none.
fn tell(end: &End, source: Option<&str>, verbose: bool) -> Exit {
    match end {
        End::Interrupted => Exit::Interrupted,
        End::NotStarted(failure) => {
            report::failure(failure, source);
            Exit::before_start(failure)
        }
        End::Ran(outcome) => {
            outcome.notices.iter().for_each(|notice| report::notice(notice));
            let exit = match &outcome.result {
                Ok(result) => result.as_deref().map_or(Exit::Success, print_result),
                Err(failure) => {
                    report::failure(failure, source);
                    Exit::of(failure)
                }
            };
            if verbose {
                tell_cost(outcome);
            }
            exit
        }
    }
}

/// Prints one JSON value: laid out on a terminal, as it is elsewhere.
pub(crate) fn print_result(json: &str) -> Exit {
    if io::stdout().is_terminal() { deliver(&json::for_terminal(json)) } else { deliver(json) }
}

fn tell_cost(outcome: &Outcome) {
    let figures = &outcome.figures;
    report::notice(&format!(
        "time {:.1?}, peak memory {}, {} of g, {}",
        figures.time,
        BinaryBytes(figures.peak_memory),
        counted(figures.host_calls, "call"),
        counted(figures.commits, "commit")
    ));
}

impl Exit {
    /// Of what kept a script from being run.
    fn before_start(failure: &Failure) -> Self {
        match Self::of(failure) {
            Self::Failed => Self::NotStarted,
            exit => exit,
        }
    }

    fn of(failure: &Failure) -> Self {
        match failure {
            Failure::Time { .. }
            | Failure::Memory { .. }
            | Failure::Compiler { .. }
            | Failure::Tables { .. }
            | Failure::ResultSize { .. } => Self::Limit,
            Failure::NotStarted(_) => Self::NotStarted,
            _ => Self::Failed,
        }
    }
}
