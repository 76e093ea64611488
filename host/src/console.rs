//! The console of one run: its limit, and the lines that wait for the disk.
//!
//! A line may tell of a write, so none is seen before the writes that came before it are on disk. The workspace numbers
//! its commits; a line that was written while commit n was outstanding waits for n.

use std::{
    collections::VecDeque,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{ConsoleLine, ConsoleSink, Level, workspace::Workspace};

/// The console of one run; clones share it.
#[derive(Clone)]
pub(crate) struct Console(Arc<Mutex<Lines>>);

struct Lines {
    sink: Option<ConsoleSink>,
    workspace: Option<Workspace>,
    collected: Vec<ConsoleLine>,
    held: VecDeque<(u64, ConsoleLine)>,
    /// How many bytes may still be written.
    room: usize,
    limit: usize,
    dropped: usize,
    /// What is written from here on may tell of writes that are lost.
    discards: bool,
}

impl Console {
    /// A console that gives its lines to `sink`, or collects them, up to `limit` bytes, and holds them back until what
    /// was written to `workspace` before them is on disk.
    pub(crate) fn new(sink: Option<ConsoleSink>, limit: usize, workspace: Option<Workspace>) -> Self {
        Self(Arc::new(Mutex::new(Lines {
            sink,
            workspace,
            collected: Vec::new(),
            held: VecDeque::new(),
            room: limit,
            limit,
            dropped: 0,
            discards: false,
        })))
    }

    /// Writes a line: at once, or when the commit that is outstanding is on disk.
    pub(crate) fn write(&self, level: Level, text: String) {
        let mut lines = self.lines();
        // Read under the lock: a commit that ends in between finds the line, or the line finds it ended.
        let outstanding = lines.workspace.as_ref().and_then(Workspace::outstanding);
        lines.write(ConsoleLine { level, text }, outstanding);
    }

    /// Writes a line of the host's own, whatever the limit.
    pub(crate) fn note(&self, text: String) {
        let mut lines = self.lines();
        lines.held.push_back((u64::MAX, ConsoleLine { level: Level::Warn, text }));
    }

    /// Shows the lines that waited for commits up to this one.
    pub(crate) fn release(&self, commit: u64) {
        self.lines().release(commit);
    }

    /// Drops the lines that wait, and all that come: they may tell of writes that are lost.
    pub(crate) fn discard(&self) {
        let mut lines = self.lines();
        lines.held.clear();
        lines.discards = true;
    }

    /// Shows what still waits and says how much was dropped. Gives the collected lines.
    pub(crate) fn end(&self) -> Vec<ConsoleLine> {
        let mut lines = self.lines();
        lines.release(u64::MAX);
        if lines.dropped > 0 {
            let text = format!("{} bytes of console output were dropped, the limit is {}", lines.dropped, lines.limit);
            lines.show(ConsoleLine { level: Level::Warn, text });
            lines.dropped = 0;
        }
        mem::take(&mut lines.collected)
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    fn write(&mut self, line: ConsoleLine, outstanding: Option<u64>) {
        if self.discards {
            return;
        }
        // The line's end counts, so that a million empty lines are not free.
        let size = line.text.len() + 1;
        if size > self.room {
            self.room = 0; // the lines that are shown have no hole
            self.dropped += size;
            return;
        }
        self.room -= size;
        match outstanding {
            Some(commit) => self.held.push_back((commit, line)),
            None => {
                self.release(u64::MAX);
                self.show(line);
            }
        }
    }

    fn release(&mut self, commit: u64) {
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
    use super::*;

    fn texts(lines: &[ConsoleLine]) -> Vec<&str> {
        lines.iter().map(|line| line.text.as_str()).collect()
    }

    fn write(console: &Console, text: &str, outstanding: Option<u64>) {
        console.lines().write(ConsoleLine { level: Level::Info, text: text.into() }, outstanding);
    }

    #[test]
    fn a_line_waits_for_its_commit() {
        let console = Console::new(None, 100, None);
        write(&console, "one", Some(1));
        write(&console, "two", Some(2));
        console.release(1);
        assert_eq!(texts(&console.lines().collected), ["one"]);
        console.release(2);
        assert_eq!(texts(&console.end()), ["one", "two"]);
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
