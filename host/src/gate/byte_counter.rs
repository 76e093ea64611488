//! Counts the memory that the calls of a run need for their arguments and answers.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use crate::{
    Error, ErrorCode,
    budget::{Budget, Reservation},
};

/// The limit on the memory that the calls of a run use for arguments, or for answers.
pub(super) struct ByteLimit {
    used: AtomicU64,
    max_bytes: u64,
    /// The memory budget of the run, against which the bytes are counted too.
    budget: Budget,
    /// What error messages call the data, and what they advise.
    words: (&'static str, &'static str),
}

impl ByteLimit {
    /// Returns the limit for the arguments of the calls in flight.
    pub(super) fn arguments(max_bytes: u64, budget: Budget) -> Self {
        Self { used: AtomicU64::new(0), max_bytes, budget, words: ("arguments", "give less at a time") }
    }

    /// Returns the limit for answers until they reach the script.
    pub(super) fn answers(max_bytes: u64, budget: Budget) -> Self {
        Self { used: AtomicU64::new(0), max_bytes, budget, words: ("answers", "ask for less at a time") }
    }
}

/// Counts the memory of one answer, or of the arguments of one call. It contains no data itself. Dropping it releases
/// the counted bytes.
pub(crate) struct ByteCounter {
    limit: Arc<ByteLimit>,
    bytes: u64,
    memory: Reservation,
}

impl ByteCounter {
    pub(super) fn new(limit: Arc<ByteLimit>) -> Self {
        let memory = limit.budget.reservation();
        Self { limit, bytes: 0, memory }
    }

    /// Counts bytes that are about to be allocated. Fails with `limit` when they exceed a limit of the run.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        let has_memory = self.memory.grow(bytes);
        let bytes = bytes as u64;
        let used = self.limit.used.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        self.bytes += bytes;
        let (what, advice) = self.limit.words;
        if !has_memory {
            let message = format!("the run has no memory left for {bytes} bytes of {what}; {advice}");
            return Err(Error::new(ErrorCode::Limit, message));
        }
        if used <= self.limit.max_bytes {
            return Ok(());
        }
        let limit = self.limit.max_bytes;
        let message =
            format!("the {what} of all calls in flight are at least {used} bytes, the limit is {limit}; {advice}");
        Err(Error::new(ErrorCode::Limit, message))
    }

    /// Counts bytes that were freed.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        let bytes = (bytes as u64).min(self.bytes);
        self.limit.used.fetch_sub(bytes, Ordering::Relaxed);
        self.bytes -= bytes;
        self.memory.shrink(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
}

impl Drop for ByteCounter {
    fn drop(&mut self) {
        self.limit.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
