//! When the open transaction is committed: a state machine without a clock, a lock or a database.
//!
//! The commit starts 50 ms, less the duration of the last commit, after the first change, but at the earliest 25 ms
//! after it; at once when 16 MiB have changed. A run that has ended waits for other runs of its process to end too, so
//! that one commit serves them all: as long as another one ends within the duration of a commit, and no new wait begins
//! after 5 ms.

use std::time::{Duration, Instant};

/// The time after the first change within which the commit should have ended.
pub(super) const FLUSH_INTERVAL: Duration = Duration::from_millis(50);
/// A run that has waited this long for others to end, to share a commit with them, begins no new wait.
const GROUP_COMMIT_WINDOW: Duration = Duration::from_millis(5);
/// The number of changed bytes from which on the commit starts at once.
const MAX_UNSAVED_BYTES: usize = 16 << 20;

pub(super) struct CommitSchedule {
    /// The number of the open transaction or, when none is open, of the next. Numbers are never reused.
    number: u64,
    /// The time of the first change of the open transaction; `None` without a change.
    changed_since: Option<Instant>,
    flush_interval: Duration,
    group_commit_window: Duration,
    /// The duration of the last commit.
    commit_time: Duration,
    /// The number of runs that wait at their end for the commit.
    runs_waiting: usize,
}

impl Default for CommitSchedule {
    fn default() -> Self {
        let (flush_interval, group_commit_window) = (FLUSH_INTERVAL, GROUP_COMMIT_WINDOW);
        let (number, changed_since, commit_time, runs_waiting) = (1, None, Duration::ZERO, 0);
        Self { number, changed_since, flush_interval, group_commit_window, commit_time, runs_waiting }
    }
}

impl CommitSchedule {
    /// Returns the number of the open transaction or, when none is open, of the next.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whether the open transaction has changes.
    pub(super) fn has_changes(&self) -> bool {
        self.changed_since.is_some()
    }

    /// Records a change. Returns whether it is the first of the transaction.
    pub(super) fn note_change(&mut self, now: Instant) -> bool {
        let is_first = self.changed_since.is_none();
        self.changed_since.get_or_insert(now);
        is_first
    }

    /// Whether the transaction has to be committed now, given its number of changed bytes.
    pub(super) fn is_due(&self, now: Instant, changed_bytes: usize) -> bool {
        changed_bytes >= MAX_UNSAVED_BYTES || self.time_left(now).is_some_and(|left| left.is_zero())
    }

    /// Returns the time until the commit has to start; `None` without a change.
    pub(super) fn time_left(&self, now: Instant) -> Option<Duration> {
        // The change is durable only after the commit, which takes time too.
        let delay = self.flush_interval.saturating_sub(self.commit_time).max(self.flush_interval / 2);
        self.changed_since.map(|since| delay.saturating_sub(now.saturating_duration_since(since)))
    }

    /// Records that the transaction was committed, in this time. Returns its number.
    pub(super) fn note_commit(&mut self, commit_time: Duration) -> u64 {
        self.commit_time = commit_time;
        self.next()
    }

    /// Records that the transaction was discarded. Returns its number.
    pub(super) fn note_loss(&mut self) -> u64 {
        self.next()
    }

    /// Begins the next transaction. Returns the number of the one that ended.
    fn next(&mut self) -> u64 {
        self.changed_since = None;
        self.number += 1;
        self.number - 1
    }

    /// Records that a run begins to wait at its end for the commit.
    pub(super) fn add_waiting_run(&mut self) {
        self.runs_waiting += 1;
    }

    /// Records that a run no longer waits.
    pub(super) fn remove_waiting_run(&mut self) {
        self.runs_waiting -= 1;
    }

    /// Returns the number of runs that wait at their end for the commit.
    pub(super) fn runs_waiting(&self) -> usize {
        self.runs_waiting
    }

    /// Returns how long to wait for one more run to end; `None` to stop waiting, because all `runs` that could share
    /// the commit wait, the transaction is already committed, or the window is over.
    pub(super) fn group_commit_delay(&self, number: u64, runs: usize, waited: Duration) -> Option<Duration> {
        let should_wait = self.number <= number && self.runs_waiting < runs && waited < self.group_commit_window;
        should_wait.then(|| self.commit_time.min(self.group_commit_window))
    }

    /// Sets the time within which a commit should have ended.
    #[cfg(test)]
    pub(super) fn set_flush_interval(&mut self, interval: Duration) {
        self.flush_interval = interval;
    }

    /// Sets the measured duration of the last commit and the group-commit window.
    #[cfg(test)]
    pub(super) fn set_group_commit(&mut self, window: Duration) {
        (self.commit_time, self.group_commit_window) = (window, window);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn a_change_is_due_after_the_interval_less_the_duration_of_a_commit() {
        let (mut schedule, start) = (CommitSchedule::default(), Instant::now());
        assert_eq!((schedule.time_left(start), schedule.is_due(start, 0)), (None, false));
        for (commit_time, delay) in [(ms(0), ms(50)), (ms(10), ms(40)), (ms(80), ms(25))] {
            schedule.note_commit(commit_time);
            assert!(
                schedule.note_change(start) && !schedule.note_change(start + ms(5)),
                "only the first change counts"
            );
            assert_eq!(schedule.time_left(start + ms(20)), Some(delay - ms(20)));
            assert!(!schedule.is_due(start + delay - ms(1), 0) && schedule.is_due(start + delay, 0));
        }
    }

    #[test]
    fn sixteen_mebibytes_are_due_at_once() {
        let (mut schedule, now) = (CommitSchedule::default(), Instant::now());
        schedule.note_change(now);
        assert!(!schedule.is_due(now, MAX_UNSAVED_BYTES - 1) && schedule.is_due(now, MAX_UNSAVED_BYTES));
    }

    #[test]
    fn no_number_is_used_twice_and_nothing_is_left_to_commit() {
        let (mut schedule, now) = (CommitSchedule::default(), Instant::now());
        for (number, is_lost) in [(1, false), (2, true), (3, false)] {
            assert_eq!(schedule.number(), number);
            schedule.note_change(now);
            assert_eq!(if is_lost { schedule.note_loss() } else { schedule.note_commit(ms(1)) }, number);
            assert!(!schedule.has_changes());
        }
    }

    #[test]
    fn a_run_waits_for_others_until_all_wait_or_the_window_is_over() {
        let mut schedule = CommitSchedule::default();
        schedule.note_commit(ms(3));
        schedule.add_waiting_run();
        assert_eq!(schedule.group_commit_delay(2, 1, ms(0)), None, "a single run does not wait");
        assert_eq!(schedule.group_commit_delay(2, 2, ms(4)), Some(ms(3)), "for the duration of a commit");
        assert_eq!(schedule.group_commit_delay(2, 2, ms(5)), None);
        schedule.add_waiting_run();
        assert_eq!((schedule.runs_waiting(), schedule.group_commit_delay(2, 2, ms(0))), (2, None));
        schedule.remove_waiting_run();
        schedule.note_commit(ms(60));
        assert_eq!(schedule.group_commit_delay(2, 2, ms(0)), None, "another run has committed it");
        assert_eq!(schedule.group_commit_delay(3, 2, ms(0)), Some(GROUP_COMMIT_WINDOW));
    }
}
