//! When the open transaction is committed: a state machine without a clock, a lock or a database.
//!
//! A change waits for at most 50 ms, less the time that a commit takes, or until 16 MiB have accumulated. A run that ends
//! waits for the other runs of its process to end too, so that one commit serves them all: for at most 5 ms, and only as
//! long as another one ends within the duration of a commit.

use std::time::{Duration, Instant};

/// How long a change may wait until it is on disk.
pub(super) const FLUSH_INTERVAL: Duration = Duration::from_millis(50);
/// How long a run that ends waits at most for others, to share a commit with them.
const GROUP_COMMIT_WINDOW: Duration = Duration::from_millis(5);
/// How many changed bytes may wait for the disk.
const MAX_UNSAVED_BYTES: usize = 16 << 20;

pub(super) struct CommitSchedule {
    /// The number of the open transaction, or of the next. It is never used again, also when the transaction is lost.
    number: u64,
    /// The time of the first change that is not on disk.
    changed_since: Option<Instant>,
    flush_interval: Duration,
    group_commit_window: Duration,
    /// How long the last commit took.
    commit_time: Duration,
    /// How many runs wait for the disk at their end.
    ending: usize,
}

impl Default for CommitSchedule {
    fn default() -> Self {
        let (flush_interval, group_commit_window) = (FLUSH_INTERVAL, GROUP_COMMIT_WINDOW);
        let (number, changed_since, commit_time, ending) = (1, None, Duration::ZERO, 0);
        Self { number, changed_since, flush_interval, group_commit_window, commit_time, ending }
    }
}

impl CommitSchedule {
    /// The number of the open transaction, or of the next.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whether a change is not on disk.
    pub(super) fn has_changes(&self) -> bool {
        self.changed_since.is_some()
    }

    /// The transaction was changed. True for its first change.
    pub(super) fn changed(&mut self, now: Instant) -> bool {
        let is_first = self.changed_since.is_none();
        self.changed_since.get_or_insert(now);
        is_first
    }

    /// Whether the transaction is to be committed, with this many changed bytes.
    pub(super) fn is_due(&self, now: Instant, changed_bytes: usize) -> bool {
        changed_bytes >= MAX_UNSAVED_BYTES || self.time_left(now).is_some_and(|left| left.is_zero())
    }

    /// How long the commit may wait; none without a change.
    pub(super) fn time_left(&self, now: Instant) -> Option<Duration> {
        // The commit takes its own time.
        let delay = self.flush_interval.saturating_sub(self.commit_time).max(self.flush_interval / 2);
        self.changed_since.map(|since| delay.saturating_sub(now.saturating_duration_since(since)))
    }

    /// The transaction was written to disk, in this time.
    pub(super) fn committed(&mut self, commit_time: Duration) -> u64 {
        self.commit_time = commit_time;
        self.next()
    }

    /// The transaction was discarded.
    pub(super) fn lost(&mut self) -> u64 {
        self.next()
    }

    /// The next transaction has the next number. Returns the number of the one that ended.
    fn next(&mut self) -> u64 {
        self.changed_since = None;
        self.number += 1;
        self.number - 1
    }

    /// A run waits at its end for the disk.
    pub(super) fn begin_wait(&mut self) {
        self.ending += 1;
    }

    /// It does not wait any more.
    pub(super) fn end_wait(&mut self) {
        self.ending -= 1;
    }

    /// How many runs wait.
    pub(super) fn waiting(&self) -> usize {
        self.ending
    }

    /// How long a run that ends waits for others before it commits the transaction with this number; none when it does not
    /// wait (any longer): of `runs` runs, all wait, or the transaction was committed.
    pub(super) fn group_commit_delay(&self, number: u64, runs: usize, waited: Duration) -> Option<Duration> {
        let waits = self.number <= number && self.ending < runs && waited < self.group_commit_window;
        waits.then(|| self.commit_time.min(self.group_commit_window))
    }

    /// Lets changes wait for this long.
    #[cfg(test)]
    pub(super) fn set_flush_interval(&mut self, interval: Duration) {
        self.flush_interval = interval;
    }

    /// Commits as if the last commit had taken this long, and lets runs wait for each other as long.
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
            schedule.committed(commit_time);
            assert!(schedule.changed(start) && !schedule.changed(start + ms(5)), "only the first change counts");
            assert_eq!(schedule.time_left(start + ms(20)), Some(delay - ms(20)));
            assert!(!schedule.is_due(start + delay - ms(1), 0) && schedule.is_due(start + delay, 0));
        }
    }

    #[test]
    fn sixteen_mebibytes_are_due_at_once() {
        let (mut schedule, now) = (CommitSchedule::default(), Instant::now());
        schedule.changed(now);
        assert!(!schedule.is_due(now, MAX_UNSAVED_BYTES - 1) && schedule.is_due(now, MAX_UNSAVED_BYTES));
    }

    #[test]
    fn no_number_is_used_twice_and_nothing_is_left_to_commit() {
        let (mut schedule, now) = (CommitSchedule::default(), Instant::now());
        for (number, is_lost) in [(1, false), (2, true), (3, false)] {
            assert_eq!(schedule.number(), number);
            schedule.changed(now);
            assert_eq!(if is_lost { schedule.lost() } else { schedule.committed(ms(1)) }, number);
            assert!(!schedule.has_changes());
        }
    }

    #[test]
    fn a_run_waits_for_others_until_all_wait_or_the_window_is_over() {
        let mut schedule = CommitSchedule::default();
        schedule.committed(ms(3));
        schedule.begin_wait();
        assert_eq!(schedule.group_commit_delay(2, 1, ms(0)), None, "a single run does not wait");
        assert_eq!(schedule.group_commit_delay(2, 2, ms(4)), Some(ms(3)), "for the duration of a commit");
        assert_eq!(schedule.group_commit_delay(2, 2, ms(5)), None);
        schedule.begin_wait();
        assert_eq!((schedule.waiting(), schedule.group_commit_delay(2, 2, ms(0))), (2, None));
        schedule.end_wait();
        schedule.committed(ms(60));
        assert_eq!(schedule.group_commit_delay(2, 2, ms(0)), None, "another run has committed it");
        assert_eq!(schedule.group_commit_delay(3, 2, ms(0)), Some(GROUP_COMMIT_WINDOW));
    }
}
