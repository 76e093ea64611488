//! A progress bar on standard error, where that is a terminal and it takes longer than a second.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use ghost::{search::Indexing, workspace::Workspace};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const SHOWN_AFTER: Duration = Duration::from_secs(1);

pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
    is_shown: bool,
}

impl Progress {
    /// Of so many steps, where that is known. The template has `{pos}`, `{bytes}` and the like.
    pub(crate) fn new(length: Option<u64>, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
        // Every template stands in the code and is seen by the first who tries it.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar, started: Instant::now(), is_shown: false }
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
