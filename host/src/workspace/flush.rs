//! When changes are put on disk and the workspace is given back, and the thread that does it when no call comes by.

use std::{
    sync::{Arc, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::{
    settle::Settled,
    shared::{Shared, State},
    tenure::Look,
};
use crate::Error;

/// How long a change may wait until it is on disk.
pub(super) const WITHIN: Duration = Duration::from_millis(50);
/// How long a run that ends waits for others at the most, to share a commit with them.
pub(super) const GATHER: Duration = Duration::from_millis(5);
/// How much may wait for the disk.
const BYTES: usize = 16 << 20;
/// How long a step of tidying up holds up calls, and the pause for them between two steps.
const TIDY_STEP: Duration = Duration::from_millis(2);
const TIDY_PAUSE: Duration = Duration::from_millis(2);

/// What the flush thread does next.
enum Next {
    /// The workspace is not open: whoever opens it starts the thread again.
    End,
    Wait(Duration),
    Commit,
    Tidy,
    Look,
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
        self.changed_bytes() >= BYTES
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

    fn next(&mut self) -> Next {
        let (changed_since, patience) = (self.changed_since, self.patience());
        let Some(open) = &mut self.open else { return Next::End };
        let until_commit = changed_since.map(|since| patience.saturating_sub(since.elapsed()));
        let until_look = open.tenure().until_look();
        if until_commit.is_some_and(|left| left.is_zero()) {
            Next::Commit
        } else if until_look.is_zero() {
            Next::Look
        } else if open.is_untidy() {
            Next::Tidy
        } else {
            Next::Wait(until_commit.map_or(until_look, |left| left.min(until_look)))
        }
    }
}

impl Shared {
    /// Sees to it that there is a flush thread, as long as the workspace is open.
    pub(super) fn wake_flusher(self: &Arc<Self>, state: &mut State) {
        if state.has_flusher {
            return;
        }
        let shared = Arc::clone(self);
        match thread::Builder::new().name("ghost-flush".into()).spawn(move || shared.flush_in_time()) {
            Ok(_) => state.has_flusher = true,
            // Then every call commits and gives back by itself.
            Err(error) => tracing::warn!(%error, "there is no thread to flush the workspace"),
        }
    }

    fn flush_in_time(self: &Arc<Self>) {
        let mut state = self.state();
        loop {
            state = match state.next() {
                Next::End => break,
                Next::Wait(left) => self.wait(state, left),
                // A loss is in the log, and told to those who lost calls.
                Next::Commit => self.step(state, |shared, state| shared.commit(state).0),
                Next::Look => self.step(state, Self::look),
                Next::Tidy => {
                    let state = self.step(state, Self::tidy_step);
                    drop(state);
                    thread::sleep(TIDY_PAUSE);
                    self.state()
                }
            };
        }
        state.has_flusher = false;
    }

    fn wait<'a>(&'a self, state: MutexGuard<'a, State>, left: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
    }

    fn step<'a>(
        self: &'a Arc<Self>,
        state: MutexGuard<'a, State>,
        f: impl FnOnce(&Arc<Self>, &mut State) -> Option<Settled>,
    ) -> MutexGuard<'a, State> {
        self.settled(state, |_, state| (f(self, state), ()));
        self.state()
    }

    /// Gives the workspace back when another process waits for it, or nobody here needs it.
    fn look(self: &Arc<Self>, state: &mut State) -> Option<Settled> {
        let open = state.open.as_mut()?;
        match open.tenure().look() {
            Look::Wanted => {
                let settled = self.give_back(state).0;
                state.gave_way = Some(Instant::now());
                settled
            }
            Look::Idle if !open.is_untidy() => self.give_back(state).0,
            Look::Idle | Look::Keep => None,
        }
    }

    fn tidy_step(self: &Arc<Self>, state: &mut State) -> Option<Settled> {
        let before = state.changed_bytes();
        match state.tidy() {
            Ok(()) => {
                let changed = state.changed_bytes() > before;
                self.note(state, changed)
            }
            Err(error) => Some(self.lose(state, &error)),
        }
    }
}
