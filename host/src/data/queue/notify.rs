//! Notifies waiters that items are available: in this process and in others.
//!
//! Waiters in this process are notified at once. For other processes, a small file changes after a commit, so that
//! their waiters need not open the workspace.

use std::{
    fs,
    io::{self, Write},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};

use crate::folder::Location;

/// The file, in a workspace's folder.
pub(crate) const FILE: &str = "notify";
/// How often waiters check the file.
const POLL_INTERVAL: Duration = Duration::from_millis(25);
/// The file grows by a byte per commit up to this size, then it is truncated.
const MAX_BYTES: u64 = 64 << 10;

pub(crate) struct Notifier {
    workspace: Location,
    /// Whether other processes have to be notified after the next commit.
    is_pending: AtomicBool,
    /// Increases with each notification.
    version: AtomicU64,
    changed: Notify,
    seen: Mutex<Seen>,
    /// How many times the file was checked.
    #[cfg(test)]
    polls: AtomicU64,
}

/// The state of the file at the last check.
struct Seen {
    at: Option<Instant>,
    stamp: Option<(u64, SystemTime)>,
}

impl Notifier {
    pub(super) fn new(workspace: &Location) -> Self {
        Self {
            workspace: workspace.clone(),
            is_pending: AtomicBool::new(false),
            version: AtomicU64::new(0),
            changed: Notify::new(),
            seen: Mutex::new(Seen { at: None, stamp: None }),
            #[cfg(test)]
            polls: AtomicU64::new(0),
        }
    }

    pub(super) fn notify_here(&self) {
        self.is_pending.store(true, Ordering::Release);
        self.notify();
    }

    fn notify(&self) {
        self.version.fetch_add(1, Ordering::AcqRel);
        self.changed.notify_waiters();
    }

    /// Notifies waiters in other processes if items have become available. Must be called after a commit.
    pub(crate) fn notify_other_processes(&self) {
        if self.is_pending.swap(false, Ordering::AcqRel)
            && let Err(error) = self.touch()
        {
            tracing::warn!(%error, "other processes can't be notified of available items");
        }
    }

    fn touch(&self) -> io::Result<()> {
        let mut file = self.workspace.open()?.append(FILE)?;
        if file.metadata()?.len() >= MAX_BYTES {
            file.set_len(0)?;
        }
        file.write_all(b".")
    }

    /// Returns a number that changes with each notification.
    pub(crate) fn version(&self) -> u64 {
        self.poll_file();
        self.version.load(Ordering::Acquire)
    }

    /// Waits for a notification after this version, at most until the given time.
    pub(crate) async fn changed(&self, since: u64, until: Option<Instant>) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let now = Instant::now();
            if self.version() != since || until.is_some_and(|until| until <= now) {
                return;
            }
            let next_poll = now + POLL_INTERVAL;
            let _either_way = timeout_at(until.map_or(next_poll, |until| until.min(next_poll)), changed).await;
        }
    }

    /// Checks the file, unless another waiter did so within the last half interval.
    fn poll_file(&self) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if seen.at.is_some_and(|at| now < at + POLL_INTERVAL / 2) {
            return;
        }
        #[cfg(test)]
        self.polls.fetch_add(1, Ordering::Relaxed);
        // Without a file, no process has sent a notification yet.
        let file = fs::symlink_metadata(self.workspace.path().join(FILE)); // not opened
        let stamp = file.and_then(|file| Ok((file.len(), file.modified()?))).ok();
        let has_changed = seen.at.is_some() && stamp != seen.stamp;
        *seen = Seen { at: Some(now), stamp };
        if has_changed {
            self.notify();
        }
    }
}

#[cfg(test)]
mod tests {
    use tempfile::tempdir;
    use tokio::time::sleep;

    use super::*;

    /// The clock stands still, so that a poll would be seen.
    #[tokio::test(start_paused = true)]
    async fn a_waiter_is_notified_by_its_own_process_without_a_poll() {
        let folder = tempdir().unwrap();
        let notifier = Notifier::new(&Location::around(folder.path()));
        let waits = notifier.changed(notifier.version(), None);
        tokio::pin!(waits);
        tokio::select! {
            biased;
            () = &mut waits => panic!("nothing has happened"),
            () = std::future::ready(()) => {}
        }
        let start = Instant::now();
        notifier.notify_here();
        waits.await;
        assert_eq!(start.elapsed(), Duration::ZERO);
    }

    /// The file is checked every 25 ms, which is well within the promised 100 ms, whatever a clock says.
    #[tokio::test]
    async fn a_waiter_is_notified_by_another_process_at_the_next_poll() {
        let folder = tempdir().unwrap();
        let workspace = Location::around(folder.path());
        let (here, there) = (Notifier::new(&workspace), Notifier::new(&workspace));
        assert!(POLL_INTERVAL * 2 < Duration::from_millis(100));
        for _ in 0..3 {
            let waits = here.changed(here.version(), None);
            tokio::pin!(waits);
            tokio::select! {
                () = &mut waits => panic!("nothing has happened"),
                () = sleep(POLL_INTERVAL * 3) => {}
            }
            there.notify_here();
            there.notify_other_processes();
            let before = here.polls.load(Ordering::Relaxed);
            waits.await;
            assert_eq!(here.polls.load(Ordering::Relaxed) - before, 1);
        }
    }
}
