//! A progress bar on standard error, where that is a terminal and it takes longer than a second.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use ghost::{search::Indexing, workspace::Workspace};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const SHOWN_AFTER: Duration = Duration::from_secs(1);

/// How often a sign of life is drawn, and how soon it goes when it is to end.
const TICK: Duration = Duration::from_millis(100);
const LOOK: Duration = Duration::from_millis(20);

pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
    is_shown: bool,
}

impl Progress {
    /// Of so many steps, where that is known. The template has `{pos}`, `{bytes}` and the like.
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

/// Shows a bar while a call waits for an index that takes in documents.
pub(crate) fn show_indexing(workspace: &Workspace) {
    let bar = Mutex::new(None);
    workspace.observe_indexing(move |news| {
        let mut bar = bar.lock().unwrap_or_else(PoisonError::into_inner);
        match (news, &mut *bar) {
            (Indexing::Begun(documents), bar) => {
                let template = "[{bar:30}] {human_pos} of {human_len} documents indexed, {eta} left";
                *bar = Some(Progress::new(Some(documents), template));
            }
            (Indexing::TookIn(documents), Some(bar)) => bar.advance(documents),
            (Indexing::TookIn(_), None) => {}
            (Indexing::Ended, bar) => *bar = None,
        }
    });
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The sign of life of something that can't tell how far it is.
pub(crate) struct Spinner(Option<(Sender<()>, JoinHandle<()>)>);

impl Spinner {
    /// It goes when this is dropped, or once the flag is up: then the program may end at any moment.
    pub(crate) fn new(what: &'static str, stop: &Arc<AtomicBool>) -> Self {
        let (over, is_over) = mpsc::channel();
        let stop = Arc::clone(stop);
        let spin = move || {
            let bar = hidden(None, "{spinner} {msg}, {elapsed}").with_message(what);
            let (started, mut is_shown) = (Instant::now(), false);
            while is_over.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) && !stop.load(Ordering::Acquire) {
                if !is_shown && started.elapsed() >= SHOWN_AFTER {
                    is_shown = true;
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(TICK);
                }
            }
            bar.finish_and_clear();
        };
        // Without a thread there is no sign, and nothing else is lost.
        let thread = thread::Builder::new().name("ghost-spinner".into()).spawn(spin);
        Self(thread.ok().map(|thread| (over, thread)))
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some((over, thread)) = self.0.take() {
            drop(over);
            let _ = thread.join(); // it has nothing to tell
        }
    }
}

fn hidden(length: Option<u64>, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
    // Every template stands in the code and is seen by the first who tries it.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}
