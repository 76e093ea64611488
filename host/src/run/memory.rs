//! The memory of one instance.

use wasmtime::ResourceLimiter;

/// The most entries that all tables of an instance may have: a script's engine needs some thousands.
const TABLE_ENTRIES: usize = 100_000;

/// Counts what the memories of an instance have, and says no beyond the limit.
pub(crate) struct Memory {
    limit: u64,
    used: u64,
    peak: u64,
    refused: bool,
    table_entries: usize,
}

impl Memory {
    pub(super) fn new(limit: u64) -> Self {
        Self { limit, used: 0, peak: 0, refused: false, table_entries: 0 }
    }

    /// In bytes.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// The most there was at a time, in bytes.
    pub(super) fn peak(&self) -> u64 {
        self.peak
    }

    /// Whether the instance asked for more than it may have.
    pub(super) fn was_refused(&self) -> bool {
        self.refused
    }
}

impl ResourceLimiter for Memory {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let used = self.used.saturating_add((desired - current) as u64);
        if used > self.limit {
            self.refused = true;
            return Ok(false);
        }
        self.used = used;
        self.peak = self.peak.max(used);
        Ok(true)
    }

    fn table_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let entries = self.table_entries.saturating_add(desired - current);
        if entries > TABLE_ENTRIES {
            return Ok(false);
        }
        self.table_entries = entries;
        Ok(true)
    }
}
