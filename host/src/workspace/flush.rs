//! When changes are put on disk, and the thread that does it when no call comes by.

use std::{
    sync::{Arc, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::{
    open::Open,
    shared::{Shared, State},
};
use crate::Error;

/// How long a change may wait until it is on disk.
pub(super) const WITHIN: Duration = Duration::from_millis(50);
/// How much may wait for the disk.
const BYTES: usize = 16 << 20;
/// How long a step of tidying up holds up calls, and the pause for them between two steps.
const TIDY_STEP: Duration = Duration::from_millis(2);
const TIDY_PAUSE: Duration = Duration::from_millis(2);

/// What the flush thread does next.
enum Next {
    Wait(Option<Duration>),
    Commit,
    Tidy,
}

impl State {
    /// How long changes wait before they are committed: the commit takes its own time.
    fn patience(&self) -> Duration {
        self.within.saturating_sub(self.commit_time).max(self.within / 2)
    }

    pub(super) fn is_overdue(&self) -> bool {
        self.changed_since.is_some_and(|since| since.elapsed() >= self.patience())
    }

    pub(super) fn is_full(&self) -> bool {
        self.written() >= BYTES
    }

    /// Puts the open transaction on disk.
    pub(super) fn put_on_disk(&mut self) -> Result<(), Error> {
        self.open.as_mut().map_or(Ok(()), |open| {
            // A program that ends soon has no flush thread for long, and is to tidy up as well.
            if open.is_untidy() {
                open.tidy(Instant::now() + TIDY_STEP)?;
            }
            open.commit()
        })
    }

    fn tidy(&mut self) -> Result<(), Error> {
        self.open.as_mut().map_or(Ok(()), |open| open.tidy(Instant::now() + TIDY_STEP))
    }

    fn next(&self) -> Next {
        let Some(since) = self.changed_since else {
            return if self.is_untidy() { Next::Tidy } else { Next::Wait(None) };
        };
        match self.patience().checked_sub(since.elapsed()) {
            None | Some(Duration::ZERO) => Next::Commit,
            Some(_) if self.is_untidy() => Next::Tidy,
            Some(left) => Next::Wait(Some(left)),
        }
    }

    fn is_untidy(&self) -> bool {
        self.open.as_ref().is_some_and(Open::is_untidy)
    }
}

impl Shared {
    /// Sees to it that the flush thread runs and knows of a change.
    pub(super) fn wake_flusher(self: &Arc<Self>, state: &mut State) {
        if state.has_flusher {
            self.changed.notify_all();
            return;
        }
        let shared = Arc::clone(self);
        match thread::Builder::new().name("ghost-flush".into()).spawn(move || shared.flush_in_time()) {
            Ok(_) => state.has_flusher = true,
            // Then every call commits by itself.
            Err(error) => tracing::warn!(%error, "there is no thread to flush the workspace"),
        }
    }

    fn flush_in_time(self: &Arc<Self>) {
        let mut state = self.state();
        while !state.ended {
            state = match state.next() {
                Next::Wait(None) => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Next::Wait(Some(left)) => self.wait(state, left),
                Next::Commit => self.commit_in_time(state),
                Next::Tidy => self.tidy_step(state),
            };
        }
    }

    fn wait<'a>(&'a self, state: MutexGuard<'a, State>, left: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
    }

    fn commit_in_time<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let (settled, _) = self.commit(&mut state); // a loss is in the log, and told to those who lost calls
        drop(state);
        self.tell(settled);
        self.state()
    }

    fn tidy_step<'a>(self: &'a Arc<Self>, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let before = state.written();
        let settled = match state.tidy() {
            Ok(()) => {
                let changed = state.written() > before;
                self.note(&mut state, changed)
            }
            Err(error) => Some(self.lose(&mut state, &error)),
        };
        drop(state);
        self.tell(settled);
        thread::sleep(TIDY_PAUSE);
        self.state()
    }
}
