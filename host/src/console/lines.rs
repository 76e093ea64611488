//! The pending lines of a console, and its limits.

use std::{collections::VecDeque, mem};

use tokio::time::Instant;

use crate::{
    ConsoleLine, Level,
    budget::{Budget, Reservation},
    workspace::Workspace,
};

/// The memory of a pending line in addition to its text: its entry in the list (twice, while the list grows), and the
/// overhead of the allocator.
const LINE_BYTES: usize = 2 * size_of::<(u64, ConsoleLine)>() + 32;

/// Pending lines may use twice the console's limit, since short lines take more memory than their text; but at least
/// this much. (The run's budget can refuse a line earlier.)
const MIN_PENDING_BYTES: usize = 8 << 20;

/// The pending lines of a console.
pub(super) struct Lines {
    pub(super) workspace: Option<Workspace>,
    /// The lines to write or collect, each with the number of the commit that it waits for.
    pub(super) pending: VecDeque<(u64, ConsoleLine)>,
    /// The number of the last commit that is on disk.
    pub(super) committed: u64,
    /// Whether writes of the run were lost. Later lines are dropped, because they may depend on these writes.
    pub(super) is_lost: bool,
    /// Whether the run has ended.
    pub(super) is_end: bool,
    /// Lines of the host, which are written at the end.
    pub(super) notes: Vec<String>,
    /// The bytes that may still be written.
    pub(super) room: usize,
    limit: usize,
    /// The memory of the pending lines.
    pub(super) memory: Reservation,
    /// The number of dropped bytes.
    dropped: usize,
    /// Whether a task writes the lines.
    pub(super) is_writing: bool,
    /// When the task stops; none while the run has not been dropped.
    pub(super) write_until: Option<Instant>,
}

impl Lines {
    pub(super) fn new(limit: usize, workspace: Option<Workspace>) -> Self {
        Self {
            workspace,
            pending: VecDeque::new(),
            committed: 0,
            is_lost: false,
            is_end: false,
            notes: Vec::new(),
            room: limit,
            limit,
            memory: Budget::unlimited().reservation(),
            dropped: 0,
            is_writing: false,
            write_until: None,
        }
    }

    /// Counts a line against the limits. Returns false, and counts it as dropped, if it exceeds one.
    pub(super) fn has_room_for(&mut self, line: &ConsoleLine) -> bool {
        // The line break counts, so that a million empty lines are not free.
        let size = line.text.len() + 1;
        if size > self.room || !self.has_memory_for(line) {
            self.room = 0; // no later line is written, so that none is missing in between
            self.dropped += size;
            return false;
        }
        self.room -= size;
        true
    }

    fn has_memory_for(&mut self, line: &ConsoleLine) -> bool {
        let limit = self.limit.saturating_mul(2).max(MIN_PENDING_BYTES);
        self.pending_bytes(line) <= limit as u64 && self.memory.grow(memory(line))
    }

    /// Returns the memory of the pending lines and one more.
    fn pending_bytes(&self, line: &ConsoleLine) -> u64 {
        self.memory.bytes() + memory(line) as u64
    }

    /// Removes and returns the first pending line.
    pub(super) fn pop(&mut self) -> Option<ConsoleLine> {
        let (_, line) = self.pending.pop_front()?;
        self.memory.shrink(memory(&line));
        Some(line)
    }

    /// Drops all pending lines.
    pub(super) fn clear(&mut self) {
        self.pending = VecDeque::new();
        self.memory.shrink(usize::MAX);
    }

    /// Drops the lines that wait for a commit.
    pub(super) fn keep_committed(&mut self) {
        let (committed, memory_of) = (self.committed, &mut self.memory);
        self.pending.retain(|(commit, line)| {
            let is_kept = *commit <= committed;
            if !is_kept {
                memory_of.shrink(memory(line));
            }
            is_kept
        });
    }

    /// Whether the first pending line may be written.
    pub(super) fn has_next(&self) -> bool {
        self.pending.front().is_some_and(|(commit, _)| *commit <= self.committed)
    }

    /// Marks the commits of all pending lines as done.
    pub(super) fn all_is_on_disk(&mut self) {
        if let Some((commit, _)) = self.pending.back() {
            self.committed = self.committed.max(*commit);
        }
    }

    /// Ends the console: all writes that were not lost are on disk, so all pending lines may be written.
    pub(super) fn end(&mut self) {
        self.is_end = true;
        self.committed = u64::MAX;
        for text in mem::take(&mut self.notes) {
            self.pending.push_back((0, ConsoleLine { level: Level::Warn, text }));
        }
        if self.dropped > 0 {
            let text = format!("{} bytes of console output were dropped, the limit is {}", self.dropped, self.limit);
            self.pending.push_back((0, ConsoleLine { level: Level::Warn, text }));
            self.dropped = 0;
        }
    }
}

/// Returns the memory of a pending line.
fn memory(line: &ConsoleLine) -> usize {
    LINE_BYTES + line.text.capacity()
}
