//! How the open transaction of a workspace comes to its end: committed or lost, and who is told.

use std::{
    sync::{Arc, MutexGuard, PoisonError, Weak, atomic::Ordering},
    time::Instant,
};

use super::{
    session::Member,
    shared::{Shared, State},
};
use crate::Error;

/// A transaction that was committed or lost, and of which the members are still to be told.
#[must_use = "those who wait for it are to be told"]
pub(super) struct Settled {
    number: u64,
    /// Kept until the state is free: with a member whose run has gone, the workspace may go, and that takes the state.
    members: Vec<Arc<Member>>,
}

impl Shared {
    /// Puts on disk what is not yet.
    pub(super) fn flush(&self) -> Result<(), Error> {
        self.settled(self.state(), Self::commit)
    }

    /// Puts on disk what waits for the commit with this number, in one commit with what other runs are about to end with.
    pub(super) fn flush_up_to(&self, number: u64) -> Result<(), Error> {
        let mut state = self.state();
        state.ending += 1;
        let mut state = self.gather(state, number);
        state.ending -= 1;
        if state.number > number { Ok(()) } else { self.settled(state, Self::commit) }
    }

    /// Waits until all runs wait for the disk, or somebody has committed, or none came for as long as a commit takes: then
    /// most runs share it, and those that have long to go hold nobody up.
    fn gather<'a>(&'a self, mut state: MutexGuard<'a, State>, number: u64) -> MutexGuard<'a, State> {
        let until = Instant::now() + state.gather;
        let pause = state.commit_time.min(state.gather);
        while state.number <= number && state.ending < self.runs() && Instant::now() < until {
            let before = state.ending;
            let (again, waited) = self.committed.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner);
            state = again;
            if waited.timed_out() && state.ending == before {
                break;
            }
        }
        state
    }

    fn runs(&self) -> usize {
        self.members().iter().filter(|member| member.strong_count() > 0).count()
    }

    /// Puts on disk what is not yet, and gives the workspace back.
    pub(super) fn close(&self) -> Result<(), Error> {
        let closed = self.settled(self.state(), Self::give_back);
        self.changed.notify_all();
        closed
    }

    /// Does something that may settle the open transaction, and tells the members once the state is free.
    pub(super) fn settled<T>(
        &self,
        mut state: MutexGuard<'_, State>,
        f: impl FnOnce(&Self, &mut State) -> (Option<Settled>, T),
    ) -> T {
        let (settled, answer) = f(self, &mut state);
        drop(state);
        self.tell(settled);
        answer
    }

    /// Sees to it that a change is put on disk in time.
    pub(super) fn note(self: &Arc<Self>, state: &mut State, changed: bool) -> Option<Settled> {
        if !changed {
            return None;
        }
        if state.changed_since.is_none() {
            state.changed_since = Some(Instant::now());
            self.outstanding.store(state.number, Ordering::Release);
            self.changed.notify_all();
        }
        // The flush thread is late when it can't get at the state.
        if state.is_full() || state.is_overdue() { self.commit(state).0 } else { None }
    }

    /// Puts the open transaction on disk, if something was changed in it.
    pub(super) fn commit(&self, state: &mut State) -> (Option<Settled>, Result<(), Error>) {
        if state.changed_since.is_none() {
            return (None, Ok(()));
        }
        let started = Instant::now();
        if let Err(error) = state.put_on_disk() {
            return (Some(self.lose(state, &error)), Err(error));
        }
        state.commit_time = started.elapsed();
        self.commits.fetch_add(1, Ordering::AcqRel);
        self.queue().notices().tell_others();
        (Some(self.settle(state, self.living_members())), Ok(()))
    }

    /// Puts on disk what is not yet, and gives the workspace back.
    pub(super) fn give_back(&self, state: &mut State) -> (Option<Settled>, Result<(), Error>) {
        let committed = self.commit(state);
        if let Some(open) = state.open.take() {
            open.leave();
        }
        self.indexes().close_soon();
        committed
    }

    /// Gives up what is not on disk, as a whole. The next call opens the workspace again.
    pub(super) fn lose(&self, state: &mut State, error: &Error) -> Settled {
        tracing::error!(cause = ?std::error::Error::source(error), "{error}");
        if let Some(open) = state.open.take() {
            open.give_up();
        }
        self.queue().lost();
        let members = self.living_members();
        members.iter().for_each(|member| member.lose(state.number, &error.message));
        self.settle(state, members)
    }

    fn settle(&self, state: &mut State, members: Vec<Arc<Member>>) -> Settled {
        let settled = Settled { number: state.number, members };
        state.number += 1;
        state.changed_since = None;
        self.outstanding.store(0, Ordering::Release);
        self.committed.notify_all();
        settled
    }

    /// Tells the members of what became of a transaction. Not under the lock of the state: a member may take its time.
    pub(super) fn tell(&self, settled: Option<Settled>) {
        let Some(Settled { number, members }) = settled else { return };
        members.iter().for_each(|member| member.tell(number));
    }

    fn living_members(&self) -> Vec<Arc<Member>> {
        self.members().iter().filter_map(Weak::upgrade).collect()
    }
}
