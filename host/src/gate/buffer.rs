//! How much of remote answers the host keeps for a run.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use crate::{Error, ErrorCode};

/// All buffers of a run.
pub(super) struct Buffers {
    used: AtomicU64,
    most: u64,
}

impl Buffers {
    pub(super) fn new(most: u64) -> Self {
        Self { used: AtomicU64::new(0), most }
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
        let most = self.run.most;
        Err(Error::new(
            ErrorCode::Limit,
            format!("the answers in flight have {used} bytes or more, the limit is {most}: ask for less at a time"),
        ))
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.run.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
