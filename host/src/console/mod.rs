//! The console of one run: its limit, and the lines that are held back until earlier writes are on disk.
//!
//! A line may depend on a write, so it becomes visible only after all earlier writes are on disk. The workspace numbers its
//! commits; a line that is written while commit n is outstanding waits for commit n. A separate thread writes the lines,
//! because a slow reader must delay neither the script nor the thread that commits.

mod lines;
#[cfg(test)]
mod tests;

use std::{
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};

use crate::{ConsoleLine, ConsoleSink, Level, budget::Budget, workspace::Workspace};
use lines::Lines;

/// How long dropping a run waits for the lines that may be written.
const DROP_TIMEOUT: Duration = Duration::from_millis(100);

/// The console of one run; clones share it.
#[derive(Clone)]
pub(crate) struct Console(Arc<Inner>);

struct Inner {
    /// Only locked briefly.
    lines: Mutex<Lines>,
    /// Wakes the thread that writes lines, and blocked threads that wait for it.
    changed: Condvar,
    /// Wakes tasks that wait for the thread.
    written: Notify,
    /// Locked for as long as `write_lines` runs.
    sink: Option<Mutex<ConsoleSink>>,
}

/// Ends the console when the run ends or is dropped.
pub(crate) struct Ending(Console);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl Console {
    /// Creates a console that passes its lines to `sink`, or collects them, up to `limit` bytes. Lines are held back until
    /// all earlier writes to `workspace` are on disk.
    pub(crate) fn new(sink: Option<ConsoleSink>, limit: usize, workspace: Option<Workspace>) -> Self {
        let lines = Lines::new(limit, workspace);
        let (changed, written) = (Condvar::new(), Notify::new());
        Self(Arc::new(Inner { lines: Mutex::new(lines), changed, written, sink: sink.map(Mutex::new) }))
    }

    /// Counts pending lines against the budget of the run. A line that exceeds it is dropped.
    pub(crate) fn with_budget(self, budget: &Budget) -> Self {
        self.lines().memory = budget.reservation();
        self
    }

    /// Writes a line. It becomes visible at once, or when the outstanding commit is on disk.
    pub(crate) fn write(&self, level: Level, text: String) {
        let mut lines = self.lines();
        // Read under the lock, so that a commit that ends now either releases this line or is no longer outstanding.
        let outstanding = lines.workspace.as_ref().and_then(Workspace::outstanding);
        self.write_after(&mut lines, ConsoleLine { level, text }, outstanding);
    }

    fn write_after(&self, lines: &mut Lines, line: ConsoleLine, outstanding: Option<u64>) {
        if lines.is_lost || lines.is_end || !lines.has_room_for(&line) {
            return;
        }
        if outstanding.is_none() {
            lines.all_is_on_disk();
        }
        lines.pending.push_back((outstanding.unwrap_or(0), line));
        self.ensure_thread(lines);
    }

    /// Returns the number of bytes that may still be written.
    pub(crate) fn room(&self) -> usize {
        self.lines().room
    }

    /// Adds a line of the host, which is written at the end and not limited.
    pub(crate) fn note(&self, text: String) {
        self.lines().notes.push(text);
    }

    /// Releases the lines that wait for commits up to this one.
    pub(crate) fn release(&self, commit: u64) {
        let mut lines = self.lines();
        lines.committed = lines.committed.max(commit);
        self.0.changed.notify_all();
    }

    /// Drops the lines that wait for a commit, and all later lines, because their writes are lost.
    pub(crate) fn discard(&self) {
        let mut lines = self.lines();
        lines.is_lost = true;
        lines.keep_committed();
        self.0.changed.notify_all();
    }

    /// Returns a guard that ends the console when it is dropped.
    pub(crate) fn ending(&self) -> Ending {
        Ending(self.clone())
    }

    /// Writes the last lines, and waits until all lines are written. Returns false when this takes longer than `until`; the
    /// remaining lines are dropped.
    pub(crate) async fn end(&self, until: Instant) -> bool {
        let has_thread = {
            let mut lines = self.lines();
            lines.end();
            if !lines.pending.is_empty() {
                self.ensure_thread(&mut lines);
            }
            self.0.changed.notify_all();
            lines.has_thread
        };
        if !has_thread {
            self.write_lines();
        }
        let is_written = timeout_at(until, self.all_written()).await.is_ok();
        if !is_written {
            self.lines().clear();
        }
        is_written
    }

    /// Returns the lines of a console without a sink.
    pub(crate) fn collected(&self) -> Vec<ConsoleLine> {
        let mut lines = self.lines();
        lines.memory.shrink(usize::MAX);
        lines.pending.drain(..).map(|(_, line)| line).collect()
    }

    async fn all_written(&self) {
        loop {
            let written = self.0.written.notified();
            tokio::pin!(written);
            written.as_mut().enable();
            if !self.lines().has_thread {
                return;
            }
            written.await;
        }
    }

    /// Ends the console of a dropped run: drops the lines that wait for a commit, and gives the others a short time.
    fn leave(&self) {
        let mut lines = self.lines();
        if mem::replace(&mut lines.is_end, true) {
            return;
        }
        lines.keep_committed();
        self.0.changed.notify_all();
        let waited = self.0.changed.wait_timeout_while(lines, DROP_TIMEOUT, |lines| lines.has_thread);
        waited.unwrap_or_else(PoisonError::into_inner).0.clear();
    }

    /// Starts or wakes the thread that writes lines, if there is a sink. Collected lines need none.
    fn ensure_thread(&self, lines: &mut Lines) {
        if self.0.sink.is_none() {
            return;
        }
        if lines.has_thread {
            self.0.changed.notify_all();
            return;
        }
        let console = self.clone();
        let started = thread::Builder::new().name("ghost-console".into()).spawn(move || console.write_lines());
        lines.has_thread = started.is_ok();
        if let Err(error) = started {
            tracing::warn!(%error, "no thread for the console: its lines are written at the end");
        }
    }

    fn write_lines(&self) {
        let _ended = ThreadEnded(self);
        let Some(sink) = &self.0.sink else { return };
        let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(line) = self.next() {
            sink(line.level, &line.text);
        }
    }

    /// Waits for the next line that may be written; none at the end.
    fn next(&self) -> Option<ConsoleLine> {
        let waits = |lines: &mut Lines| !lines.has_next() && !lines.is_end;
        let mut lines = self.0.changed.wait_while(self.lines(), waits).unwrap_or_else(PoisonError::into_inner);
        if lines.has_next() { lines.pop() } else { None }
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Marks the thread as ended when it is dropped, also after a panic of the sink.
struct ThreadEnded<'c>(&'c Console);

impl Drop for ThreadEnded<'_> {
    fn drop(&mut self) {
        self.0.lines().has_thread = false;
        self.0.0.changed.notify_all();
        self.0.0.written.notify_waiters();
    }
}

#[cfg(test)]
impl Console {
    /// Ends the console and returns the collected lines.
    pub(crate) fn all(&self) -> Vec<ConsoleLine> {
        self.lines().end();
        self.collected()
    }
}
