//! How much the host keeps for the calls of a run: of what they were given, and of what comes back.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use crate::{Error, ErrorCode};

/// All buffers of one kind of a run.
pub(super) struct Buffers {
    used: AtomicU64,
    most: u64,
    /// What errors call them, and what they advise.
    words: (&'static str, &'static str),
}

impl Buffers {
    /// What the calls that are under way were given.
    pub(super) fn arguments(most: u64) -> Self {
        Self { used: AtomicU64::new(0), most, words: ("arguments", "give less at a time") }
    }

    /// What came back and is not at the script yet.
    pub(super) fn answers(most: u64) -> Self {
        Self { used: AtomicU64::new(0), most, words: ("answers", "ask for less at a time") }
    }
}

/// What one call keeps. Dropped, it gives its part back.
pub(crate) struct Buffer {
    run: Arc<Buffers>,
    bytes: u64,
}

impl Buffer {
    pub(super) fn new(run: Arc<Buffers>) -> Self {
        Self { run, bytes: 0 }
    }

    /// Counts bytes that are about to be kept. Fails with `limit` when the run has no room for them.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        let bytes = bytes as u64;
        let used = self.run.used.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        self.bytes += bytes;
        if used <= self.run.most {
            return Ok(());
        }
        let (most, (what, advice)) = (self.run.most, self.run.words);
        let message = format!("the {what} in flight have {used} bytes or more, the limit is {most}: {advice}");
        Err(Error::new(ErrorCode::Limit, message))
    }

    /// Gives back a part that is not kept any more.
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
