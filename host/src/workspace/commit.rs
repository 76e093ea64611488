//! The end of the open transaction: it is committed or lost, and the runs that took part are notified.

use std::{
    sync::{Arc, MutexGuard, PoisonError, Weak, atomic::Ordering},
    time::Instant,
};

use super::{
    session::Participant,
    shared::{Shared, State},
};
use crate::Error;

/// A transaction that was committed or lost, and whose participants still have to be notified.
#[must_use = "its participants have to be notified"]
pub(super) struct EndedTransaction {
    number: u64,
    /// Must be dropped after the state is unlocked: a participant's listener may own the last handle of the workspace,
    /// and dropping that handle locks the state.
    participants: Vec<Arc<Participant>>,
}

impl Shared {
    /// Commits all unsaved changes.
    pub(super) fn flush(&self) -> Result<(), Error> {
        self.then_notify(self.state(), Self::commit)
    }

    /// Commits the transaction with this number. Waits a moment for other runs that may end soon, to share the commit.
    pub(super) fn flush_up_to(&self, number: u64) -> Result<(), Error> {
        let mut state = self.state();
        state.schedule.add_waiting_run();
        let mut state = self.wait_for_other_runs(state, number);
        state.schedule.remove_waiting_run();
        if state.schedule.number() > number { Ok(()) } else { self.then_notify(state, Self::commit) }
    }

    /// Waits for other runs that may end soon, so that one commit serves them all. Each wait lasts as long as the last
    /// commit took, at most 5 ms, unless another call commits. No new wait begins after a wait in which no run has
    /// ended, or after 5 ms in total.
    fn wait_for_other_runs<'a>(&'a self, mut state: MutexGuard<'a, State>, number: u64) -> MutexGuard<'a, State> {
        let started = Instant::now();
        while let Some(delay) = state.schedule.group_commit_delay(number, self.sharing(number), started.elapsed()) {
            let before = state.schedule.runs_waiting();
            let (again, waited) = self.committed.wait_timeout(state, delay).unwrap_or_else(PoisonError::into_inner);
            state = again;
            if waited.timed_out() && state.schedule.runs_waiting() == before {
                break;
            }
        }
        state
    }

    /// The number of participants that may soon wait for the commit of a transaction.
    fn sharing(&self, number: u64) -> usize {
        // Dropped after the list is unlocked: a participant's listener may own the last handle of the workspace.
        let participants = self.living_participants();
        participants.iter().filter(|participant| participant.may_share_commit(number)).count()
    }

    /// Commits all unsaved changes, and releases the workspace.
    pub(super) fn close(&self) -> Result<(), Error> {
        let closed = self.then_notify(self.state(), Self::commit_and_release);
        self.changed.notify_all();
        closed
    }

    /// Calls `f`, which may end the open transaction, then unlocks the state and notifies the participants.
    pub(super) fn then_notify<T>(
        &self,
        mut state: MutexGuard<'_, State>,
        f: impl FnOnce(&Self, &mut State) -> (Option<EndedTransaction>, T),
    ) -> T {
        let (ended, answer) = f(self, &mut state);
        drop(state);
        self.notify_participants(ended);
        answer
    }

    /// Schedules the commit of a change, or commits it if it is due.
    pub(super) fn schedule_or_commit(self: &Arc<Self>, state: &mut State, changed: bool) -> Option<EndedTransaction> {
        if !changed {
            return None;
        }
        if state.schedule.note_change(Instant::now()) {
            self.outstanding.store(state.schedule.number(), Ordering::Release);
            self.changed.notify_all();
        }
        // The flush thread may be late because it waits for the mutex, so a call commits when the commit is due.
        if state.is_due() { self.commit(state).0 } else { None }
    }

    /// Commits the open transaction, if it has changes.
    pub(super) fn commit(&self, state: &mut State) -> (Option<EndedTransaction>, Result<(), Error>) {
        if !state.schedule.has_changes() {
            return (None, Ok(()));
        }
        let started = Instant::now();
        if let Err(error) = self.commit_in_place(state) {
            return (Some(self.lose(state, &error)), Err(error));
        }
        let number = state.schedule.note_commit(started.elapsed());
        self.commits.fetch_add(1, Ordering::AcqRel);
        self.data().committed();
        (Some(self.end_transaction(number, self.living_participants())), Ok(()))
    }

    /// Commits the open transaction. Fails if the workspace was removed or replaced: checked before the commit, so that a
    /// workspace that was moved away does not contain a call that is reported as lost, and after it, so that no call is
    /// reported as saved in a file that is gone.
    fn commit_in_place(&self, state: &mut State) -> Result<(), Error> {
        state.check_location(self.location())?;
        state.commit_transaction()?;
        state.check_location(self.location())
    }

    /// Commits all unsaved changes, and releases the workspace.
    pub(super) fn commit_and_release(&self, state: &mut State) -> (Option<EndedTransaction>, Result<(), Error>) {
        let committed = self.commit(state);
        if let Some(open) = self.take_open(state) {
            open.release();
        }
        self.indexes().close_soon();
        committed
    }

    /// Discards all unsaved changes. The next call opens the workspace again.
    pub(super) fn lose(&self, state: &mut State, error: &Error) -> EndedTransaction {
        tracing::error!(cause = ?std::error::Error::source(error), "{error}");
        if let Some(open) = self.take_open(state) {
            open.roll_back_and_release();
        }
        self.data().lost();
        let participants = self.living_participants();
        participants.iter().for_each(|participant| participant.lose(state.schedule.number(), &error.message));
        self.end_transaction(state.schedule.note_loss(), participants)
    }

    fn end_transaction(&self, number: u64, participants: Vec<Arc<Participant>>) -> EndedTransaction {
        self.outstanding.store(0, Ordering::Release);
        self.committed.notify_all();
        EndedTransaction { number, participants }
    }

    /// Notifies the participants of the end of a transaction. The state must be unlocked, because a listener may take
    /// some time.
    pub(super) fn notify_participants(&self, ended: Option<EndedTransaction>) {
        let Some(EndedTransaction { number, participants }) = ended else { return };
        participants.iter().for_each(|participant| participant.notify_committed(number));
    }

    fn living_participants(&self) -> Vec<Arc<Participant>> {
        self.participants().iter().filter_map(Weak::upgrade).collect()
    }
}
