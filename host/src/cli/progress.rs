//! Progress bars and spinners on standard error, if it is a terminal and the work takes more than a second.

use std::{
    io::{self, IsTerminal},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use ghost::{Transfer, TransferObserver, search::Indexing, workspace::Workspace};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const SHOWN_AFTER: Duration = Duration::from_secs(1);

/// How often a spinner is drawn, and how often its thread checks whether to end.
const TICK: Duration = Duration::from_millis(100);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
    is_shown: bool,
}

impl Progress {
    /// Creates a progress bar for a number of steps, if it is known. The template uses the keys of indicatif.
    pub(crate) fn new(length: Option<u64>, template: &str) -> Self {
        Self { bar: hidden(length, template), started: Instant::now(), is_shown: false }
    }

    pub(crate) fn advance(&mut self, steps: u64) {
        self.bar.inc(steps);
        if !self.is_shown && self.started.elapsed() >= SHOWN_AFTER {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.is_shown = true;
        }
    }
}

/// Shows a progress bar while a call waits for an index to be updated.
pub(crate) fn show_indexing(workspace: &Workspace) {
    let bar = Mutex::new(None);
    workspace.observe_indexing(move |news| {
        let mut bar = bar.lock().unwrap_or_else(PoisonError::into_inner);
        match (news, &mut *bar) {
            (Indexing::Begun(documents), bar) => {
                let template = "[{bar:30}] {human_pos} of {human_len} documents indexed, {eta} left";
                *bar = Some(Progress::new(Some(documents), template));
            }
            (Indexing::Progress(documents), Some(bar)) => bar.advance(documents),
            (Indexing::Progress(_), None) => {}
            (Indexing::Ended, bar) => *bar = None,
        }
    });
}

/// Shows a progress bar while files are transferred: one for all transfers that are under way.
pub(crate) fn transfers() -> Option<TransferObserver> {
    io::stderr().is_terminal().then(|| {
        let bar = Mutex::new(None);
        Arc::new(move |news| {
            let mut bar = bar.lock().unwrap_or_else(PoisonError::into_inner);
            observe(&mut bar, news);
        }) as TransferObserver
    })
}

/// A progress bar, and the number of transfers that it shows.
fn observe(shown: &mut Option<(Progress, usize)>, news: Transfer) {
    match (news, &mut *shown) {
        (Transfer::Begun(bytes), Some((progress, transfers))) => {
            *transfers += 1;
            progress.bar.inc_length(bytes);
        }
        (Transfer::Begun(bytes), shown) => {
            let template =
                "[{bar:30}] {binary_bytes} of {binary_total_bytes} transferred, {binary_bytes_per_sec}, {eta} left";
            *shown = Some((Progress::new(Some(bytes), template), 1));
        }
        (Transfer::Progress(bytes), Some((progress, _))) => progress.advance(bytes),
        (Transfer::Ended, Some((_, transfers))) if *transfers > 1 => *transfers -= 1,
        (Transfer::Ended, shown) => *shown = None,
        (Transfer::Progress(_), None) => {}
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A spinner for work of unknown length.
pub(crate) struct Spinner(Option<(Sender<()>, JoinHandle<()>)>);

impl Spinner {
    /// Shows a spinner until it is dropped or the flag is set, after which the program may end at any time.
    pub(crate) fn new(what: &'static str, stop: &Arc<AtomicBool>) -> Self {
        let (over, is_over) = mpsc::channel();
        let stop = Arc::clone(stop);
        let spin = move || {
            let bar = hidden(None, "{spinner} {msg}, {elapsed}").with_message(what);
            let (started, mut is_shown) = (Instant::now(), false);
            while is_over.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) && !stop.load(Ordering::Acquire)
            {
                if !is_shown && started.elapsed() >= SHOWN_AFTER {
                    is_shown = true;
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(TICK);
                }
            }
            bar.finish_and_clear();
        };
        // Without a thread, only the spinner is missing.
        let thread = thread::Builder::new().name("ghost-spinner".into()).spawn(spin);
        Self(thread.ok().map(|thread| (over, thread)))
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some((over, thread)) = self.0.take() {
            drop(over);
            let _ = thread.join(); // it returns nothing
        }
    }
}

fn hidden(length: Option<u64>, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
    // The templates are constants, so an invalid one is found in development.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}
