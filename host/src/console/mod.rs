//! The console of one run: its limit, and the lines that are held back until earlier writes are on disk.
//!
//! A line may depend on a write, so it becomes visible only after all earlier writes are on disk. The workspace numbers its
//! commits; a line that is written while commit n is outstanding waits for commit n. Lines that may be written are passed to
//! the sink by a blocking task of the runtime, because a slow reader must delay neither the script nor the thread that
//! commits. There is such a task only while there is something to write.

mod lines;
#[cfg(test)]
mod tests;

use std::{
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    runtime::Handle,
    sync::Notify,
    time::{Instant, timeout_at},
};
use tokio_util::task::TaskTracker;

use crate::{ConsoleLine, ConsoleSink, Level, budget::Budget, workspace::Workspace};
use lines::Lines;

/// How long the lines of a dropped run are written.
const DROP_TIMEOUT: Duration = Duration::from_millis(100);

/// The console of one run; clones share it.
#[derive(Clone)]
pub(crate) struct Console(Arc<Inner>);

struct Inner {
    /// Only locked briefly.
    lines: Mutex<Lines>,
    /// Wakes tasks that wait until all lines are written.
    written: Notify,
    sink: Option<Sink>,
}

struct Sink {
    /// Locked for as long as `write_lines` runs.
    write: Mutex<ConsoleSink>,
    /// Tracks the tasks that write, for a program that ends after it dropped a run.
    tasks: TaskTracker,
    runtime: Handle,
}

/// Ends the console when it is dropped.
pub(crate) struct EndOnDrop(Console);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl Console {
    /// Creates a console that collects its lines, up to `limit` bytes. Lines are held back until all earlier writes to
    /// `workspace` are on disk.
    pub(crate) fn collecting(limit: usize, workspace: Option<Workspace>) -> Self {
        Self::new(None, limit, workspace)
    }

    /// Creates a console that passes its lines to a sink instead, by tasks of the runtime that calls it.
    pub(crate) fn writing(sink: ConsoleSink, tasks: &TaskTracker, limit: usize, workspace: Option<Workspace>) -> Self {
        let sink = Sink { write: Mutex::new(sink), tasks: tasks.clone(), runtime: Handle::current() };
        Self::new(Some(sink), limit, workspace)
    }

    fn new(sink: Option<Sink>, limit: usize, workspace: Option<Workspace>) -> Self {
        Self(Arc::new(Inner { lines: Mutex::new(Lines::new(limit, workspace)), written: Notify::new(), sink }))
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
        self.write_ready(lines);
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
        self.write_ready(&mut lines);
    }

    /// Drops the lines that wait for a commit, and all later lines, because their writes are lost.
    pub(crate) fn discard(&self) {
        let mut lines = self.lines();
        lines.is_lost = true;
        lines.keep_committed();
    }

    /// Returns a guard that ends the console when it is dropped.
    pub(crate) fn end_on_drop(&self) -> EndOnDrop {
        EndOnDrop(self.clone())
    }

    /// Writes the last lines, and waits until all lines are written. Returns false when this takes longer than `until`; the
    /// remaining lines are dropped.
    pub(crate) async fn end(&self, until: Instant) -> bool {
        {
            let mut lines = self.lines();
            lines.end();
            self.write_ready(&mut lines);
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
            if !self.lines().is_writing {
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
        lines.write_until = Some(Instant::now() + DROP_TIMEOUT);
    }

    /// Starts the task that writes lines, if there is a sink, something to write, and no task. Collected lines need none.
    fn write_ready(&self, lines: &mut Lines) {
        let Some(sink) = &self.0.sink else { return };
        if lines.is_writing || !lines.has_next() {
            return;
        }
        lines.is_writing = true;
        let console = self.clone();
        sink.tasks.spawn_blocking_on(move || console.write_lines(), &sink.runtime);
    }

    /// Writes all lines that may be written.
    fn write_lines(&self) {
        let Some(sink) = &self.0.sink else { return };
        let mut write = sink.write.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(line) = self.next() {
            if catch_unwind(AssertUnwindSafe(|| write(line.level, &line.text))).is_err() {
                tracing::error!("the sink of a console panicked: the rest of its output is dropped");
                let mut lines = self.lines();
                lines.is_lost = true;
                lines.clear();
            }
        }
    }

    /// The next line that may be written. If there is none, the task that writes ends.
    fn next(&self) -> Option<ConsoleLine> {
        let mut lines = self.lines();
        if lines.write_until.is_some_and(|until| until <= Instant::now()) {
            lines.clear();
        }
        if lines.has_next() {
            return lines.pop();
        }
        lines.is_writing = false;
        self.0.written.notify_waiters();
        None
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner)
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
