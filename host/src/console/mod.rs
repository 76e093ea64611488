//! The console of one run: its limit, and the lines that wait for the disk.
//!
//! A line may tell of a write, so none is seen before the writes that came before it are on disk. The workspace numbers
//! its commits; a line that was written while commit n was outstanding waits for n. A thread shows the lines: neither the
//! script nor whoever commits is to wait for a terminal, which takes as long as its reader likes.

use std::{
    collections::VecDeque,
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};

use crate::{
    ConsoleLine, ConsoleSink, Level,
    budget::{Budget, Kept},
    workspace::Workspace,
};

/// What it takes to keep a line beside its text: its place, twice while the list of them grows, and what the allocator adds.
const LINE_BYTES: usize = 2 * size_of::<(u64, ConsoleLine)>() + 32;

/// How much the lines that wait may take at least, and else twice their limit: lines are many when they are short.
const WAITING_BYTES: usize = 8 << 20;

/// How long a run that is dropped waits until the lines are shown that may be.
const LAST_LINES: Duration = Duration::from_millis(100);

/// The console of one run; clones share it.
#[derive(Clone)]
pub(crate) struct Console(Arc<Inner>);

struct Inner {
    /// Locked for moments only.
    lines: Mutex<Lines>,
    /// Wakes the thread that shows lines, and who waits for it.
    changed: Condvar,
    /// The same for who waits without a thread.
    shown: Notify,
    /// Locked while a line is shown.
    sink: Option<Mutex<ConsoleSink>>,
}

struct Lines {
    workspace: Option<Workspace>,
    /// To be shown or collected, each with the commit that it waits for.
    waiting: VecDeque<(u64, ConsoleLine)>,
    /// The last commit that is on disk.
    committed: u64,
    /// All that was not on disk is lost, and what is written from here on may tell of it.
    is_lost: bool,
    /// The run has ended.
    is_end: bool,
    /// The host's own, shown at the end.
    notes: Vec<String>,
    /// How many bytes may still be written.
    room: usize,
    limit: usize,
    /// The memory of what waits.
    memory: Kept,
    dropped: usize,
    has_thread: bool,
}

/// Ends the console's thread with the run, also with one that is dropped.
pub(crate) struct Ending(Console);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl Console {
    /// A console that gives its lines to `sink`, or collects them, up to `limit` bytes, and holds them back until what
    /// was written to `workspace` before them is on disk.
    pub(crate) fn new(sink: Option<ConsoleSink>, limit: usize, workspace: Option<Workspace>) -> Self {
        let lines = Lines {
            workspace,
            waiting: VecDeque::new(),
            committed: 0,
            is_lost: false,
            is_end: false,
            notes: Vec::new(),
            room: limit,
            limit,
            memory: Budget::unlimited().kept(),
            dropped: 0,
            has_thread: false,
        };
        let (changed, shown) = (Condvar::new(), Notify::new());
        Self(Arc::new(Inner { lines: Mutex::new(lines), changed, shown, sink: sink.map(Mutex::new) }))
    }

    /// The same console, with lines that wait counted in the budget of the run. Where that has no room, lines are dropped as
    /// they are past the limit.
    pub(crate) fn counted_in(self, budget: &Budget) -> Self {
        self.lines().memory = budget.kept();
        self
    }

    /// Writes a line, to be shown at once, or when the commit that is outstanding is on disk.
    pub(crate) fn write(&self, level: Level, text: String) {
        let mut lines = self.lines();
        // Read under the lock: a commit that ends in between finds the line, or the line finds it ended.
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
        lines.waiting.push_back((outstanding.unwrap_or(0), line));
        self.see_to_thread(lines);
    }

    /// How many bytes may still be written.
    pub(crate) fn room(&self) -> usize {
        self.lines().room
    }

    /// Writes a line of the host's own, at the end, whatever the limit.
    pub(crate) fn note(&self, text: String) {
        self.lines().notes.push(text);
    }

    /// Lets the lines be shown that waited for commits up to this one.
    pub(crate) fn release(&self, commit: u64) {
        let mut lines = self.lines();
        lines.committed = lines.committed.max(commit);
        self.0.changed.notify_all();
    }

    /// Drops the lines that wait, and all that come: they may tell of writes that are lost.
    pub(crate) fn discard(&self) {
        let mut lines = self.lines();
        lines.is_lost = true;
        lines.keep_committed();
        self.0.changed.notify_all();
    }

    /// To be kept as long as the run.
    pub(crate) fn ending(&self) -> Ending {
        Ending(self.clone())
    }

    /// Writes what is said at the end, and waits until all is shown. False when its reader has not taken it by then: what is
    /// left is not shown at all.
    pub(crate) async fn end(&self, until: Instant) -> bool {
        let has_thread = {
            let mut lines = self.lines();
            lines.end();
            if !lines.waiting.is_empty() {
                self.see_to_thread(&mut lines);
            }
            self.0.changed.notify_all();
            lines.has_thread
        };
        if !has_thread {
            self.show_in_time();
        }
        let is_shown = timeout_at(until, self.all_is_shown()).await.is_ok();
        if !is_shown {
            self.lines().clear();
        }
        is_shown
    }

    /// The lines that no sink took.
    pub(crate) fn collected(&self) -> Vec<ConsoleLine> {
        let mut lines = self.lines();
        lines.memory.shrink(usize::MAX);
        lines.waiting.drain(..).map(|(_, line)| line).collect()
    }

    async fn all_is_shown(&self) {
        loop {
            let shown = self.0.shown.notified();
            tokio::pin!(shown);
            shown.as_mut().enable();
            if !self.lines().has_thread {
                return;
            }
            shown.await;
        }
    }

    /// Ends it without what waits for the disk. What may be shown is, if its reader takes it.
    fn leave(&self) {
        let mut lines = self.lines();
        if mem::replace(&mut lines.is_end, true) {
            return;
        }
        lines.keep_committed();
        self.0.changed.notify_all();
        let is_shown = self.0.changed.wait_timeout_while(lines, LAST_LINES, |lines| lines.has_thread);
        is_shown.unwrap_or_else(PoisonError::into_inner).0.clear();
    }

    /// What is only collected is looked at at the end; a sink is to have each line in time.
    fn see_to_thread(&self, lines: &mut Lines) {
        if self.0.sink.is_none() {
            return;
        }
        if lines.has_thread {
            self.0.changed.notify_all();
            return;
        }
        let console = self.clone();
        let started = thread::Builder::new().name("ghost-console".into()).spawn(move || console.show_in_time());
        lines.has_thread = started.is_ok();
        if let Err(error) = started {
            tracing::warn!(%error, "there is no thread for the console: its lines come late");
        }
    }

    fn show_in_time(&self) {
        let _gone = Gone(self);
        let Some(sink) = &self.0.sink else { return };
        let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(line) = self.next() {
            sink(line.level, &line.text);
        }
    }

    /// The next line that may be shown; none at the end.
    fn next(&self) -> Option<ConsoleLine> {
        let waits = |lines: &mut Lines| !lines.has_next() && !lines.is_end;
        let mut lines = self.0.changed.wait_while(self.lines(), waits).unwrap_or_else(PoisonError::into_inner);
        if lines.has_next() { lines.pop() } else { None }
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says that the thread has gone, also when a sink has panicked.
struct Gone<'c>(&'c Console);

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        self.0.lines().has_thread = false;
        self.0.0.changed.notify_all();
        self.0.0.shown.notify_waiters();
    }
}

impl Lines {
    fn has_room_for(&mut self, line: &ConsoleLine) -> bool {
        // The line's end counts, so that a million empty lines are not free.
        let size = line.text.len() + 1;
        if size > self.room || !self.has_memory_for(line) {
            self.room = 0; // the lines that are shown have no hole
            self.dropped += size;
            return false;
        }
        self.room -= size;
        true
    }

    fn has_memory_for(&mut self, line: &ConsoleLine) -> bool {
        let most = self.limit.saturating_mul(2).max(WAITING_BYTES);
        self.waiting_bytes(line) <= most as u64 && self.memory.grow(memory(line))
    }

    /// What waits, with one line more.
    fn waiting_bytes(&self, line: &ConsoleLine) -> u64 {
        self.memory.bytes() + memory(line) as u64
    }

    fn pop(&mut self) -> Option<ConsoleLine> {
        let (_, line) = self.waiting.pop_front()?;
        self.memory.shrink(memory(&line));
        Some(line)
    }

    fn clear(&mut self) {
        self.waiting = VecDeque::new();
        self.memory.shrink(usize::MAX);
    }

    /// Drops the lines that wait for what is not on disk.
    fn keep_committed(&mut self) {
        let (committed, memory_of) = (self.committed, &mut self.memory);
        self.waiting.retain(|(commit, line)| {
            let is_kept = *commit <= committed;
            if !is_kept {
                memory_of.shrink(memory(line));
            }
            is_kept
        });
    }

    fn has_next(&self) -> bool {
        self.waiting.front().is_some_and(|(commit, _)| *commit <= self.committed)
    }

    fn all_is_on_disk(&mut self) {
        if let Some((commit, _)) = self.waiting.back() {
            self.committed = self.committed.max(*commit);
        }
    }

    /// What is not lost is on disk at the end.
    fn end(&mut self) {
        self.is_end = true;
        self.committed = u64::MAX;
        for text in mem::take(&mut self.notes) {
            self.waiting.push_back((0, ConsoleLine { level: Level::Warn, text }));
        }
        if self.dropped > 0 {
            let text = format!("{} bytes of console output were dropped, the limit is {}", self.dropped, self.limit);
            self.waiting.push_back((0, ConsoleLine { level: Level::Warn, text }));
            self.dropped = 0;
        }
    }
}

/// What a line takes while it waits.
fn memory(line: &ConsoleLine) -> usize {
    LINE_BYTES + line.text.capacity()
}

#[cfg(test)]
impl Console {
    /// The collected lines of a console that has come to its end.
    pub(crate) fn all(&self) -> Vec<ConsoleLine> {
        self.lines().end();
        self.collected()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn texts(lines: &[ConsoleLine]) -> Vec<&str> {
        lines.iter().map(|line| line.text.as_str()).collect()
    }

    fn write(console: &Console, text: &str, outstanding: Option<u64>) {
        console.write_after(&mut console.lines(), ConsoleLine { level: Level::Info, text: text.into() }, outstanding);
    }

    #[test]
    fn a_line_waits_for_its_commit() {
        let (sender, shown) = mpsc::channel();
        let sink = Box::new(move |_: Level, text: &str| sender.send(text.to_owned()).unwrap());
        let console = Console::new(Some(sink), 100, None);
        write(&console, "one", Some(1));
        write(&console, "two", Some(2));
        assert!(shown.try_recv().is_err());
        console.release(1);
        assert_eq!(shown.recv().unwrap(), "one");
        assert!(shown.try_recv().is_err());
        console.release(2);
        assert_eq!(shown.recv().unwrap(), "two");
        assert!(console.all().is_empty());
    }

    #[test]
    fn a_reader_that_takes_nothing_holds_up_no_commit() {
        let (sender, taken) = mpsc::sync_channel(0);
        let sink = Box::new(move |_: Level, text: &str| sender.send(text.to_owned()).unwrap());
        let console = Console::new(Some(sink), 100, None);
        write(&console, "one", Some(1));
        console.release(1);
        // Its thread waits for the reader now, or soon.
        console.release(2);
        console.release(3);
        assert_eq!(taken.recv().unwrap(), "one");
    }

    #[tokio::test]
    async fn a_reader_that_takes_nothing_holds_up_neither_the_script_nor_the_end() {
        let (sender, taken) = mpsc::sync_channel(0);
        let sink = Box::new(move |_: Level, text: &str| sender.send(text.to_owned()).unwrap());
        let console = Console::new(Some(sink), 100, None);
        let ending = console.ending();
        for text in ["one", "two", "three"] {
            write(&console, text, None);
        }
        assert!(!console.end(Instant::now() + Duration::from_millis(20)).await);
        drop((ending, console));
        assert_eq!(taken.recv().unwrap(), "one");
        assert!(taken.recv().is_err(), "what was not shown in time is not shown");
    }

    #[tokio::test]
    async fn a_reader_that_is_slow_gets_all() {
        let (sender, taken) = mpsc::sync_channel(0);
        let sink = Box::new(move |_: Level, text: &str| sender.send(text.to_owned()).unwrap());
        let console = Console::new(Some(sink), 8, None);
        console.write(Level::Info, "1234".into());
        console.write(Level::Info, "56789".into());
        let reader = thread::spawn(move || taken.iter().collect::<Vec<_>>());
        assert!(console.end(Instant::now() + Duration::from_secs(20)).await);
        assert!(console.collected().is_empty());
        drop(console);
        assert_eq!(reader.join().unwrap(), ["1234", "6 bytes of console output were dropped, the limit is 8"]);
    }

    #[test]
    fn lines_of_a_commit_are_seen_although_a_later_one_is_lost() {
        let console = Console::new(None, 100, None);
        write(&console, "saved", Some(1));
        write(&console, "lost", Some(2));
        console.release(1);
        console.discard();
        assert_eq!(texts(&console.all()), ["saved"]);
    }

    #[test]
    fn lines_of_a_lost_commit_are_never_seen() {
        let console = Console::new(None, 100, None);
        write(&console, "lost", Some(1));
        console.discard();
        write(&console, "later", None);
        assert!(console.all().is_empty());
    }

    #[test]
    fn lines_that_wait_are_counted_by_what_they_take() {
        let budget = Budget::of(0);
        let console = Console::new(None, 16 << 20, None).counted_in(&budget);
        for _ in 0..2_000_000 {
            write(&console, "", None);
        }
        let kept = console.lines().waiting.len();
        assert!(kept * 48 < 32 << 20 && kept > 100_000, "an empty line is not free: {kept}");
        assert!(console.lines().memory.bytes() as usize >= kept * 48);
        assert!(!budget.kept().grow(80 << 20) && budget.kept().grow(60 << 20));
        let lines = console.all();
        assert!(lines.last().unwrap().text.contains("bytes of console output were dropped"), "{:?}", lines.last());
        assert!(budget.kept().grow(100 << 20), "what was taken is kept no more");
    }

    #[test]
    fn past_the_limit_lines_are_dropped_and_counted() {
        let console = Console::new(None, 8, None);
        write(&console, "1234", None);
        write(&console, "56789", None);
        write(&console, "", None);
        let lines = console.all();
        assert_eq!(texts(&lines), ["1234", "7 bytes of console output were dropped, the limit is 8"]);
        assert_eq!(lines[1].level, Level::Warn);
    }
}
