//! The memory of one instance.

use wasmtime::ResourceLimiter;

use crate::budget::Budget;

/// The most entries that all tables of an instance may have: a script's engine needs some thousands.
const TABLE_ENTRIES: usize = 100_000;

/// Counts what the memories of an instance have, and says no beyond the limit.
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
    /// Memory up to a limit, which the budget of the run knows of.
    pub(crate) fn new(limit: u64, budget: Budget) -> Self {
        Self { limit, used: 0, peak: 0, refused: false, table_entries: 0, tables_refused: false, budget }
    }

    /// What one call of the host's may be given, in bytes: no value that a script holds is larger than its memory, so each
    /// arrives, as long as there is room for it in the budget, and its own limit says what is wrong with it.
    pub(crate) fn call_bytes(&self) -> usize {
        usize::try_from(self.budget.for_call()).unwrap_or(usize::MAX)
    }

    /// In bytes.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// The most there was at a time, in bytes.
    pub(crate) fn peak(&self) -> u64 {
        self.peak
    }

    /// Whether the instance asked for more than it may have.
    pub(crate) fn was_refused(&self) -> bool {
        self.refused
    }

    /// The limit of the entries of its tables, if the instance asked for more.
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
