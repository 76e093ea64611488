//! The memory of one instance.

use wasmtime::ResourceLimiter;

use crate::budget::Budget;

/// The maximum number of entries in all tables of an instance. ghost's engine needs a few thousand.
const TABLE_ENTRIES: usize = 100_000;

/// Counts the memory of an instance, and refuses to let it grow beyond the limit.
pub(crate) struct Memory {
    limit: u64,
    used: u64,
    peak: u64,
    refused: bool,
    table_entries: usize,
    tables_refused: bool,
    budget: Budget,
}

impl Memory {
    /// Creates a counter with a limit. It reports the memory in use to the budget of the run.
    pub(crate) fn new(limit: u64, budget: Budget) -> Self {
        Self { limit, used: 0, peak: 0, refused: false, table_entries: 0, tables_refused: false, budget }
    }

    /// Returns how many bytes one call may copy into the host: what the budget of the run has left for it, and at least
    /// 24 MiB, so that a value that is too large usually fails by its own limit, which the error names.
    pub(crate) fn call_bytes(&self) -> usize {
        usize::try_from(self.budget.for_call()).unwrap_or(usize::MAX)
    }

    /// Returns the limit, in bytes.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns the peak of the memory in use, in bytes.
    pub(crate) fn peak(&self) -> u64 {
        self.peak
    }

    /// Whether the instance asked for more memory than the limit.
    pub(crate) fn was_refused(&self) -> bool {
        self.refused
    }

    /// Returns the limit on table entries, if the instance asked for more.
    pub(crate) fn refused_tables(&self) -> Option<usize> {
        self.tables_refused.then_some(TABLE_ENTRIES)
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
        self.budget.set_script(used);
        Ok(true)
    }

    fn table_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let entries = self.table_entries.saturating_add(desired - current);
        if entries > TABLE_ENTRIES {
            self.tables_refused = true;
            return Ok(false);
        }
        self.table_entries = entries;
        Ok(true)
    }
}
