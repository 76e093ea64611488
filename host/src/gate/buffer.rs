//! Counts the memory that the calls of a run need for their arguments and answers.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use crate::{
    Error, ErrorCode,
    budget::{Budget, Kept},
};

/// All buffers of one kind of a run.
pub(super) struct Buffers {
    used: AtomicU64,
    most: u64,
    /// The budget of the run, which includes them.
    budget: Budget,
    /// The name of the data in errors, and their advice.
    words: (&'static str, &'static str),
}

impl Buffers {
    /// Counts the arguments of the calls in flight.
    pub(super) fn arguments(most: u64, budget: Budget) -> Self {
        Self { used: AtomicU64::new(0), most, budget, words: ("arguments", "give less at a time") }
    }

    /// Counts answers until they reach the script.
    pub(super) fn answers(most: u64, budget: Budget) -> Self {
        Self { used: AtomicU64::new(0), most, budget, words: ("answers", "ask for less at a time") }
    }
}

/// The memory of one call. Dropped, it is free again.
pub(crate) struct Buffer {
    run: Arc<Buffers>,
    bytes: u64,
    memory: Kept,
}

impl Buffer {
    pub(super) fn new(run: Arc<Buffers>) -> Self {
        let memory = run.budget.kept();
        Self { run, bytes: 0, memory }
    }

    /// Counts bytes that are about to be allocated. Fails with `limit` when the run has no room for them.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        let has_memory = self.memory.grow(bytes);
        let bytes = bytes as u64;
        let used = self.run.used.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        self.bytes += bytes;
        let (what, advice) = self.run.words;
        if !has_memory {
            let message = format!("the run has no memory left for {bytes} bytes of {what}; {advice}");
            return Err(Error::new(ErrorCode::Limit, message));
        }
        if used <= self.run.most {
            return Ok(());
        }
        let most = self.run.most;
        let message =
            format!("the {what} of all calls in flight are at least {used} bytes, the limit is {most}; {advice}");
        Err(Error::new(ErrorCode::Limit, message))
    }

    /// Frees a part.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        let bytes = (bytes as u64).min(self.bytes);
        self.run.used.fetch_sub(bytes, Ordering::Relaxed);
        self.bytes -= bytes;
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.run.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
