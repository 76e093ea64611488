//! The news that items can be had, from the runs of this process and from other processes.
//!
//! Within a process it is told at once. Other processes see it by a small file that changes after a commit, so that who
//! waits opens nothing in between.

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
/// How often the file is looked at while somebody waits.
const LOOK: Duration = Duration::from_millis(25);
/// How long the file grows, a byte for each commit, until it begins anew.
const LARGEST: u64 = 64 << 10;

pub(crate) struct Notices {
    workspace: Location,
    /// Whether there is something to tell other processes after the next commit.
    untold: AtomicBool,
    /// Grows with all news.
    version: AtomicU64,
    changed: Notify,
    seen: Mutex<Seen>,
    /// How often the file was looked at.
    #[cfg(test)]
    looks: AtomicU64,
}

/// The file, as it was seen last.
struct Seen {
    at: Option<Instant>,
    stamp: Option<(u64, SystemTime)>,
}

impl Notices {
    pub(super) fn new(workspace: &Location) -> Self {
        Self {
            workspace: workspace.clone(),
            untold: AtomicBool::new(false),
            version: AtomicU64::new(0),
            changed: Notify::new(),
            seen: Mutex::new(Seen { at: None, stamp: None }),
            #[cfg(test)]
            looks: AtomicU64::new(0),
        }
    }

    pub(super) fn tell_here(&self) {
        self.untold.store(true, Ordering::Release);
        self.tell();
    }

    fn tell(&self) {
        self.version.fetch_add(1, Ordering::AcqRel);
        self.changed.notify_waiters();
    }

    /// To be called after a commit.
    pub(crate) fn tell_others(&self) {
        if self.untold.swap(false, Ordering::AcqRel)
            && let Err(error) = self.touch()
        {
            tracing::warn!(%error, "other processes can't be told of items that are pending");
        }
    }

    fn touch(&self) -> io::Result<()> {
        let mut file = self.workspace.open()?.append(FILE)?;
        if file.metadata()?.len() >= LARGEST {
            file.set_len(0)?;
        }
        file.write_all(b".")
    }

    /// Differs from what it was when there are news.
    pub(super) fn version(&self) -> u64 {
        self.look_at_file();
        self.version.load(Ordering::Acquire)
    }

    /// Returns when there are news since this version, or the time has come.
    pub(super) async fn changed(&self, since: u64, until: Option<Instant>) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let now = Instant::now();
            if self.version() != since || until.is_some_and(|until| until <= now) {
                return;
            }
            let look = now + LOOK;
            let _either_way = timeout_at(until.map_or(look, |until| until.min(look)), changed).await;
        }
    }

    /// Many who wait look at the file together as often as one.
    fn look_at_file(&self) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if seen.at.is_some_and(|at| now < at + LOOK / 2) {
            return;
        }
        #[cfg(test)]
        self.looks.fetch_add(1, Ordering::Relaxed);
        // No file: nobody has told of anything yet.
        let file = fs::symlink_metadata(self.workspace.path().join(FILE)); // looked at, not opened
        let stamp = file.and_then(|file| Ok((file.len(), file.modified()?))).ok();
        let is_news = seen.at.is_some() && stamp != seen.stamp;
        *seen = Seen { at: Some(now), stamp };
        if is_news {
            self.tell();
        }
    }
}

#[cfg(test)]
mod tests {
    use tempfile::tempdir;
    use tokio::time::sleep;

    use super::*;

    /// The file is looked at every 25 ms, so this is well within the 100 ms that are promised, whatever a clock says.
    #[tokio::test]
    async fn who_waits_sees_the_news_of_another_process_at_the_next_look() {
        let folder = tempdir().unwrap();
        let workspace = Location::around(folder.path());
        let (here, there) = (Notices::new(&workspace), Notices::new(&workspace));
        assert!(LOOK * 2 < Duration::from_millis(100));
        for _ in 0..3 {
            let waits = here.changed(here.version(), None);
            tokio::pin!(waits);
            tokio::select! {
                () = &mut waits => panic!("nothing has happened"),
                () = sleep(LOOK * 3) => {}
            }
            there.tell_here();
            there.tell_others();
            let before = here.looks.load(Ordering::Relaxed);
            waits.await;
            assert_eq!(here.looks.load(Ordering::Relaxed) - before, 1);
        }
    }
}
