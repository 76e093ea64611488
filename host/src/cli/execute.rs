//! Runs a script and prints its result.

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

use ghost::{Failure, Host, Limits, Outcome, RunOptions, Script, bundle, workspace::Workspace};
use indicatif::BinaryBytes;
use tokio::{
    runtime::{Builder, Runtime},
    signal::unix::{SignalKind, signal},
};

use super::{Exit, compiler, deliver, interrupt, json, not_started, report, table::counted, workspace_in};

/// A script to run, with its options.
pub(crate) struct Job {
    /// The name of the script in stack traces.
    pub(crate) name: String,
    pub(crate) content: Content,
    pub(crate) options: RunOptions,
    /// The folder that contains `.ghost`.
    pub(crate) folder: Option<PathBuf>,
    /// Whether to print the cost of the run.
    pub(crate) verbose: bool,
}

/// The content of a script.
pub(crate) enum Content {
    Source(String),
    Component(Vec<u8>),
}

impl Content {
    /// The source of the script; a component may contain it.
    fn source(&self) -> Option<&str> {
        match self {
            Self::Source(source) => Some(source),
            Self::Component(component) => bundle::source(component),
        }
    }
}

/// How a job ended.
enum End {
    NotStarted(Failure),
    Ran(Outcome),
    Interrupted,
}

/// Enables the log on standard error if `verbose` is set.
pub(crate) fn log(verbose: bool) {
    if verbose {
        let filter = tracing_subscriber::EnvFilter::new("ghost=debug");
        let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
        log.with_ansi(report::has_colour()).init();
    }
}

/// Runs a job and returns the exit status.
pub(crate) fn run(job: Job) -> Exit {
    panic::catch_unwind(AssertUnwindSafe(|| attempt(job))).unwrap_or_else(|_| {
        report::error("internal error: this is a bug in ghost; for details, run the command again with --verbose");
        Exit::Failed
    })
}

/// How long to wait, after an interrupted run or the deadline, for a reader of the output.
const OUTPUT_TIMEOUT: Duration = Duration::from_millis(500);
/// How often to check for a signal while the output is written.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Returns a runtime for this thread.
pub(crate) fn runtime() -> Result<Runtime, String> {
    Builder::new_current_thread().enable_all().build().map_err(|error| format!("the host can't start: {error}"))
}

fn attempt(mut job: Job) -> Exit {
    let started = Instant::now();
    let deadline = started + job.options.limits.time;
    job.options.since = Some(started);
    let runtime = match runtime() {
        Ok(runtime) => runtime,
        Err(message) => return not_started(&message),
    };
    let workspace = job.options.workspace.clone();
    let interrupt_flag = Arc::new(AtomicBool::new(false));
    if let Some(workspace) = &workspace {
        workspace.interrupt_when(Arc::clone(&interrupt_flag));
    }
    let host = OnceCell::new();
    let end = runtime.block_on(async {
        tokio::select! {
            // Polled first, so that a signal is handled from the start.
            biased;
            signal = interrupted(&interrupt_flag) => signal.map(|()| End::Interrupted),
            end = start(&host, &job.name, &job.content, job.options) => Ok(end),
        }
    });
    // Waits until the work of an interrupted run at external systems is cancelled.
    if let Some(host) = host.get() {
        runtime.block_on(host.finish_cleanup());
    }
    // Blocking tasks of the run may still wait seconds for another process.
    runtime.shutdown_background();
    let end = match end {
        Ok(end) => end,
        Err(error) => return not_started(&format!("signal handlers can't be installed: {error}")),
    };
    // Closed before the result is printed, so that the workspace is free for a reader of the result.
    let closed = workspace.as_ref().map_or(Ok(()), Workspace::close);
    let made = job.folder.filter(|_| workspace.as_ref().is_some_and(Workspace::was_made));
    release(workspace, if matches!(end, End::Interrupted) { Instant::now() } else { deadline });
    let limit = end.output_limit(deadline, interrupt_flag);
    print_within(limit, move || {
        if let Some(folder) = made {
            report::notice(&format!("made a workspace in {}", workspace_in(&folder)));
        }
        let exit = print_end(&end, job.content.source(), job.verbose);
        match closed {
            Ok(()) => exit,
            Err(error) => {
                report::error(&error.message);
                if matches!(exit, Exit::Success | Exit::Interrupted) { Exit::Failed } else { exit }
            }
        }
    })
}

/// Releases a workspace. Waits for the merges of an index, but at most until the given time; an index that was not
/// closed in time is verified when it is opened next.
pub(crate) fn release(workspace: Option<Workspace>, until: Instant) {
    let (sender, released) = mpsc::channel();
    thread::spawn(move || {
        drop(workspace);
        sender.send(())
    });
    // Released, or out of time: in both cases the program ends.
    let _released = released.recv_timeout(until.saturating_duration_since(Instant::now()));
}

/// How long to wait for a reader of the output, and the exit status if it reads nothing.
enum OutputLimit {
    Until(Instant, Exit),
    /// Until a signal sets the flag.
    UntilInterrupted(Arc<AtomicBool>),
}

impl End {
    fn output_limit(&self, deadline: Instant, interrupt_flag: Arc<AtomicBool>) -> OutputLimit {
        let soon = Instant::now() + OUTPUT_TIMEOUT;
        match self {
            Self::Interrupted => OutputLimit::Until(soon, Exit::Interrupted),
            Self::NotStarted(failure) => OutputLimit::Until(deadline.max(soon), Exit::before_start(failure)),
            Self::Ran(Outcome { result: Err(failure), .. }) => {
                OutputLimit::Until(deadline.max(soon), Exit::of(failure))
            }
            Self::Ran(_) => OutputLimit::UntilInterrupted(interrupt_flag),
        }
    }
}

impl OutputLimit {
    /// Returns the exit status if the limit has passed.
    fn passed(&self) -> Option<Exit> {
        match self {
            Self::Until(until, exit) => (Instant::now() >= *until).then_some(*exit),
            Self::UntilInterrupted(interrupt_flag) => {
                interrupt_flag.load(Ordering::Acquire).then_some(Exit::Interrupted)
            }
        }
    }
}

/// Prints on a separate thread, because a reader may block it forever. Returns the exit status.
fn print_within(limit: OutputLimit, print: impl FnOnce() -> Exit + Send + 'static) -> Exit {
    let (sender, printed) = mpsc::channel();
    thread::spawn(move || sender.send(print()));
    loop {
        match printed.recv_timeout(POLL_INTERVAL) {
            Ok(exit) => return exit,
            Err(RecvTimeoutError::Timeout) => {
                if let Some(exit) = limit.passed() {
                    return exit;
                }
            }
            Err(RecvTimeoutError::Disconnected) => panic!("the thread that prints the result has panicked"),
        }
    }
}

async fn start(host: &OnceCell<Host>, name: &str, content: &Content, options: RunOptions) -> End {
    match compile(host, name, content, &options.limits).await {
        Ok((host, script)) => {
            let mut outcome = host.run(&script, options).await;
            if matches!(content, Content::Component(_)) {
                outcome.result = outcome.result.map_err(|failure| of_file(name, failure));
            }
            End::Ran(outcome)
        }
        Err(failure) => End::NotStarted(failure),
    }
}

async fn compile<'a>(
    host: &'a OnceCell<Host>,
    name: &str,
    content: &Content,
    limits: &Limits,
) -> Result<(&'a Host, Script), Failure> {
    match content {
        Content::Source(source) => {
            let host = created(host)?;
            Ok((host, Script::from_source_within(host, name, source, limits).await?))
        }
        Content::Component(component) => load(host, name, component, limits).await,
    }
}

/// Loads a component. The error names its file.
pub(crate) async fn load<'a>(
    host: &'a OnceCell<Host>,
    name: &str,
    component: &[u8],
    limits: &Limits,
) -> Result<(&'a Host, Script), Failure> {
    let host = created(host)?;
    let loaded = Script::from_component_by(host, &compiler::of_program()?, component, limits).await;
    loaded.map(|script| (host, script)).map_err(|failure| of_file(name, failure))
}

fn created(host: &OnceCell<Host>) -> Result<&Host, Failure> {
    let made = Host::new().map_err(|error| Failure::NotStarted(error.message))?;
    Ok(host.get_or_init(|| made))
}

/// The same failure, with the name of the file if the file is the reason.
fn of_file(name: &str, failure: Failure) -> Failure {
    match failure {
        Failure::NotStarted(reason) => Failure::NotStarted(format!("{name}: {reason}")),
        other => other,
    }
}

/// Returns at the first SIGINT or SIGTERM. The second one ends the program at once.
pub(crate) async fn interrupted(interrupt_flag: &Arc<AtomicBool>) -> io::Result<()> {
    interrupt::set_on_signal(interrupt_flag)?;
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}

/// Prints the result or the failure.
fn print_end(end: &End, source: Option<&str>, verbose: bool) -> Exit {
    match end {
        End::Interrupted => Exit::Interrupted,
        End::NotStarted(failure) => {
            report::not_started(failure, source);
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
                print_cost(outcome);
            }
            exit
        }
    }
}

/// Prints one JSON value: indented on a terminal, unchanged elsewhere.
pub(crate) fn print_result(json: &str) -> Exit {
    if io::stdout().is_terminal() { deliver(&json::for_terminal(json)) } else { deliver(json) }
}

fn print_cost(outcome: &Outcome) {
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
    /// The exit status of a failure before the run.
    fn before_start(failure: &Failure) -> Self {
        match Self::of(failure) {
            Self::Failed => Self::NotStarted,
            exit => exit,
        }
    }

    /// The exit status of a failure of the run.
    fn of(failure: &Failure) -> Self {
        match failure {
            Failure::Time { .. }
            | Failure::Memory { .. }
            | Failure::Compiler { .. }
            | Failure::WasmTables { .. }
            | Failure::ResultSize { .. } => Self::Limit,
            Failure::NotStarted(_) => Self::NotStarted,
            _ => Self::Failed,
        }
    }
}
