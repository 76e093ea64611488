//! The console of one run: its limit, and the lines that wait for the disk.
//!
//! A line may tell of a write, so none is seen before the writes that came before it are on disk. The workspace numbers
//! its commits; a line that was written while commit n was outstanding waits for n. A thread shows it then: whoever
//! commits has better things to do than to wait for a terminal.

use std::{
    collections::VecDeque,
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use crate::{ConsoleLine, ConsoleSink, Level, workspace::Workspace};

/// The console of one run; clones share it.
#[derive(Clone)]
pub(crate) struct Console(Arc<Inner>);

struct Inner {
    /// Locked while a line is shown, which takes as long as the reader likes.
    lines: Mutex<Lines>,
    /// Locked for moments only.
    settled: Mutex<Settled>,
    changed: Condvar,
}

/// Ends the console's thread with the run, also with one that is dropped.
pub(crate) struct Ending(Console);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.settle_end();
    }
}

struct Lines {
    sink: Option<ConsoleSink>,
    workspace: Option<Workspace>,
    collected: Vec<ConsoleLine>,
    held: VecDeque<(u64, ConsoleLine)>,
    /// The host's own, shown at the end.
    notes: Vec<String>,
    /// How many bytes may still be written.
    room: usize,
    limit: usize,
    dropped: usize,
    has_thread: bool,
}

/// What became of the writes that lines wait for.
#[derive(Clone, Copy, Default)]
struct Settled {
    /// The last commit that is on disk.
    commit: u64,
    /// All that is not on disk is lost, and what is written from here on may tell of it.
    is_lost: bool,
    /// The run has ended.
    is_end: bool,
}

impl Console {
    /// A console that gives its lines to `sink`, or collects them, up to `limit` bytes, and holds them back until what
    /// was written to `workspace` before them is on disk.
    pub(crate) fn new(sink: Option<ConsoleSink>, limit: usize, workspace: Option<Workspace>) -> Self {
        let lines = Lines {
            sink,
            workspace,
            collected: Vec::new(),
            held: VecDeque::new(),
            notes: Vec::new(),
            room: limit,
            limit,
            dropped: 0,
            has_thread: false,
        };
        let (settled, changed) = (Mutex::default(), Condvar::new());
        Self(Arc::new(Inner { lines: Mutex::new(lines), settled, changed }))
    }

    /// Writes a line: at once, or when the commit that is outstanding is on disk.
    pub(crate) fn write(&self, level: Level, text: String) {
        let mut lines = self.lines();
        // Read under the lock: a commit that ends in between finds the line, or the line finds it ended.
        let outstanding = lines.workspace.as_ref().and_then(Workspace::outstanding);
        self.write_after(&mut lines, ConsoleLine { level, text }, outstanding);
    }

    fn write_after(&self, lines: &mut Lines, line: ConsoleLine, outstanding: Option<u64>) {
        let settled = *self.settled();
        if settled.is_lost || !lines.has_room_for(&line) {
            return;
        }
        match outstanding {
            Some(commit) => {
                lines.held.push_back((commit, line));
                self.see_to_thread(lines);
            }
            // All that was waited for is on disk.
            None => {
                lines.show_up_to(u64::MAX);
                lines.show(line);
            }
        }
    }

    /// Writes a line of the host's own, at the end, whatever the limit.
    pub(crate) fn note(&self, text: String) {
        self.lines().notes.push(text);
    }

    /// Lets the lines be shown that waited for commits up to this one.
    pub(crate) fn release(&self, commit: u64) {
        let mut settled = self.settled();
        settled.commit = settled.commit.max(commit);
        self.0.changed.notify_all();
    }

    /// Drops the lines that wait, and all that come: they may tell of writes that are lost.
    pub(crate) fn discard(&self) {
        self.settled().is_lost = true;
        self.0.changed.notify_all();
    }

    /// To be kept as long as the run.
    pub(crate) fn ending(&self) -> Ending {
        Ending(self.clone())
    }

    fn settle_end(&self) {
        self.settled().is_end = true;
        self.0.changed.notify_all();
    }

    /// Shows what still waits and says how much was dropped. Gives the collected lines.
    pub(crate) fn end(&self) -> Vec<ConsoleLine> {
        self.settle_end();
        let mut lines = self.lines();
        let settled = *self.settled();
        lines.show_up_to(if settled.is_lost { settled.commit } else { u64::MAX });
        lines.held.clear();
        for text in mem::take(&mut lines.notes) {
            lines.show(ConsoleLine { level: Level::Warn, text });
        }
        if lines.dropped > 0 {
            let text = format!("{} bytes of console output were dropped, the limit is {}", lines.dropped, lines.limit);
            lines.show(ConsoleLine { level: Level::Warn, text });
            lines.dropped = 0;
        }
        mem::take(&mut lines.collected)
    }

    /// What is only collected is looked at at the end; a sink is to have each line in time.
    fn see_to_thread(&self, lines: &mut Lines) {
        if lines.has_thread || lines.sink.is_none() {
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
        let mut shown = 0;
        loop {
            let waits = |settled: &mut Settled| settled.commit == shown && !settled.is_lost && !settled.is_end;
            let woken = self.0.changed.wait_while(self.settled(), waits).unwrap_or_else(PoisonError::into_inner);
            let settled = *woken;
            drop(woken);
            if settled.is_end {
                return;
            }
            self.lines().show_up_to(settled.commit);
            if settled.is_lost {
                return;
            }
            shown = settled.commit;
        }
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settled(&self) -> MutexGuard<'_, Settled> {
        self.0.settled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    fn has_room_for(&mut self, line: &ConsoleLine) -> bool {
        // The line's end counts, so that a million empty lines are not free.
        let size = line.text.len() + 1;
        if size > self.room {
            self.room = 0; // the lines that are shown have no hole
            self.dropped += size;
            return false;
        }
        self.room -= size;
        true
    }

    fn show_up_to(&mut self, commit: u64) {
        while self.held.front().is_some_and(|(waits_for, _)| *waits_for <= commit) {
            if let Some((_, line)) = self.held.pop_front() {
                self.show(line);
            }
        }
    }

    fn show(&mut self, line: ConsoleLine) {
        match &mut self.sink {
            Some(sink) => sink(line.level, &line.text),
            None => self.collected.push(line),
        }
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
        assert!(console.end().is_empty());
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

    #[test]
    fn lines_of_a_commit_are_seen_although_a_later_one_is_lost() {
        let console = Console::new(None, 100, None);
        write(&console, "saved", Some(1));
        write(&console, "lost", Some(2));
        console.release(1);
        console.discard();
        assert_eq!(texts(&console.end()), ["saved"]);
    }

    #[test]
    fn lines_of_a_lost_commit_are_never_seen() {
        let console = Console::new(None, 100, None);
        write(&console, "lost", Some(1));
        console.discard();
        write(&console, "later", None);
        assert!(console.end().is_empty());
    }

    #[test]
    fn past_the_limit_lines_are_dropped_and_counted() {
        let console = Console::new(None, 8, None);
        write(&console, "1234", None);
        write(&console, "56789", None);
        write(&console, "", None);
        let lines = console.end();
        assert_eq!(texts(&lines), ["1234", "7 bytes of console output were dropped, the limit is 8"]);
        assert_eq!(lines[1].level, Level::Warn);
    }
}
