//! The flush thread, which commits changes in time, purges rows, and releases the workspace.

use std::{
    sync::{Arc, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::{
    commit::EndedTransaction,
    shared::{Shared, State},
    yield_policy::Decision,
};
use crate::{Error, folder::Location};

/// How long a purge step delays calls, and the pause for calls between two steps.
const PURGE_STEP: Duration = Duration::from_millis(2);
const PURGE_PAUSE: Duration = Duration::from_millis(2);

/// What the flush thread does next.
enum Next {
    /// The workspace is not open; opening it starts the thread again.
    End,
    Wait(Duration),
    Commit,
    Purge,
    PollWaiters,
}

impl State {
    /// Whether the open transaction has to be committed now.
    pub(super) fn is_due(&self) -> bool {
        self.schedule.is_due(Instant::now(), self.changed_bytes())
    }

    /// Purges a step, then commits the open transaction.
    pub(super) fn commit_transaction(&mut self) -> Result<(), Error> {
        self.open.as_mut().map_or(Ok(()), |open| {
            // A short-lived program ends before its flush thread purges, so each commit purges one step.
            if open.needs_purge() {
                open.purge(Instant::now() + PURGE_STEP)?;
            }
            open.commit()
        })
    }

    /// Fails if the workspace was removed or replaced.
    pub(super) fn check_location(&self, location: &Location) -> Result<(), Error> {
        self.open.as_ref().map_or(Ok(()), |open| open.check_location(location))
    }

    fn purge(&mut self) -> Result<(), Error> {
        self.open.as_mut().map_or(Ok(()), |open| open.purge(Instant::now() + PURGE_STEP))
    }

    fn next(&mut self) -> Next {
        let until_commit = self.schedule.time_left(Instant::now());
        let Some(open) = &mut self.open else { return Next::End };
        let until_poll = open.yield_policy().until_poll();
        if until_commit.is_some_and(|left| left.is_zero()) {
            Next::Commit
        } else if until_poll.is_zero() {
            Next::PollWaiters
        } else if open.needs_purge() {
            Next::Purge
        } else {
            Next::Wait(until_commit.map_or(until_poll, |left| left.min(until_poll)))
        }
    }
}

impl Shared {
    /// Starts the flush thread, unless it is already running. The thread ends when the workspace is released.
    pub(super) fn start_flusher(self: &Arc<Self>, state: &mut State) {
        if state.has_flusher {
            return;
        }
        let shared = Arc::clone(self);
        match thread::Builder::new().name("ghost-flush".into()).spawn(move || shared.flush_in_time()) {
            Ok(_) => state.has_flusher = true,
            // Without the thread, every call commits and releases the workspace itself.
            Err(error) => tracing::warn!(%error, "the flush thread can't be started"),
        }
    }

    fn flush_in_time(self: &Arc<Self>) {
        let mut state = self.state();
        loop {
            state = match state.next() {
                Next::End => break,
                Next::Wait(left) => self.wait(state, left),
                // The error can be ignored: it is in the host's log, and the runs that lost calls are notified.
                Next::Commit => self.step(state, |shared, state| shared.commit(state).0),
                Next::PollWaiters => self.step(state, Self::yield_if_wanted),
                Next::Purge => {
                    let state = self.step(state, Self::purge_step);
                    drop(state);
                    thread::sleep(PURGE_PAUSE);
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
        f: impl FnOnce(&Arc<Self>, &mut State) -> Option<EndedTransaction>,
    ) -> MutexGuard<'a, State> {
        self.then_notify(state, |_, state| (f(self, state), ()));
        self.state()
    }

    /// Releases the workspace if another process waits for it, or if this process does not need it.
    fn yield_if_wanted(self: &Arc<Self>, state: &mut State) -> Option<EndedTransaction> {
        let open = state.open.as_mut()?;
        match open.poll() {
            Decision::Wanted => {
                let ended = self.commit_and_release(state).0;
                state.gave_way = Some(Instant::now());
                ended
            }
            Decision::Idle if !open.needs_purge() => self.commit_and_release(state).0,
            Decision::Idle | Decision::Keep => None,
        }
    }

    fn purge_step(self: &Arc<Self>, state: &mut State) -> Option<EndedTransaction> {
        let before = state.changed_bytes();
        match state.purge() {
            Ok(()) => {
                let changed = state.changed_bytes() > before;
                self.schedule_or_commit(state, changed)
            }
            Err(error) => Some(self.lose(state, &error)),
        }
    }
}
