//! The memory budget of a run, which its script and the host share.
//!
//! It counts all data that the host holds on behalf of a script: console lines, partial output, the arguments and results
//! of calls, documents that a search indexes. The rest of the budget bounds the values that one call copies into the host,
//! and the memory in which a search indexes a document.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// The budget in addition to the memory limit of the script, in bytes.
const HOST_BYTES: u64 = 100 << 20;
/// The part that the host itself needs for code, caches and the tables of an index. Copies for a call can't use it.
const RESERVED_BYTES: u64 = 36 << 20;
/// The minimum for the copies of one call: enough for the largest document, so that a larger one gets an error of its own
/// limit and does not end the run.
const MIN_CALL_BYTES: u64 = 24 << 20;

/// The memory budget of one run. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Budget(Option<Arc<Used>>);

#[derive(Debug)]
struct Used {
    limit: u64,
    /// The memory that the script uses.
    script: AtomicU64,
    /// The sum of all reservations.
    reservations: AtomicU64,
}

impl Budget {
    /// Creates the budget of a run whose script has this memory limit.
    pub(crate) fn of(memory: u64) -> Self {
        let limit = memory.saturating_add(HOST_BYTES);
        Self(Some(Arc::new(Used { limit, script: AtomicU64::new(0), reservations: AtomicU64::new(0) })))
    }

    /// Creates a budget without a limit, for a program that is not a script.
    pub(crate) fn unlimited() -> Self {
        Self(None)
    }

    /// Sets the memory that the script uses.
    pub(crate) fn set_script(&self, bytes: u64) {
        if let Some(used) = &self.0 {
            used.script.store(bytes, Ordering::Relaxed);
        }
    }

    /// Returns the number of bytes for compiling a component that a run with this memory limit would load: what such a run has
    /// left before it begins.
    pub(crate) fn for_compiler(limit: u64) -> u64 {
        Self::of(limit).for_call()
    }

    /// Returns the number of bytes that one call may copy into the host.
    pub(crate) fn for_call(&self) -> u64 {
        self.left().saturating_sub(RESERVED_BYTES).max(MIN_CALL_BYTES)
    }

    /// Returns the number of bytes that are left.
    fn left(&self) -> u64 {
        let left = |used: &Arc<Used>| {
            let taken = used.script.load(Ordering::Relaxed).saturating_add(used.reservations.load(Ordering::Relaxed));
            used.limit.saturating_sub(taken)
        };
        self.0.as_ref().map_or(u64::MAX, left)
    }

    /// Creates an empty reservation.
    pub(crate) fn reservation(&self) -> Reservation {
        Reservation { budget: self.clone(), bytes: 0 }
    }
}

/// A reservation of a part of a budget. Dropping it releases the part.
#[derive(Debug)]
pub(crate) struct Reservation {
    budget: Budget,
    bytes: u64,
}

impl Reservation {
    /// Reserves more bytes. Returns false, and reserves nothing, when the budget does not have them.
    #[must_use]
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        let Some(used) = &self.budget.0 else { return true };
        if bytes == 0 {
            // The script's memory may have used up the budget since the last reservation.
            return true;
        }
        let bytes = bytes as u64;
        let reserved = used.reservations.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if reserved.saturating_add(used.script.load(Ordering::Relaxed)) > used.limit {
            used.reservations.fetch_sub(bytes, Ordering::Relaxed);
            return false;
        }
        self.bytes += bytes;
        true
    }

    /// Returns the number of reserved bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Releases a part of the reservation.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        let bytes = (bytes as u64).min(self.bytes);
        self.bytes -= bytes;
        if let Some(used) = &self.budget.0 {
            used.reservations.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.shrink(usize::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reservation_of_nothing_succeeds_in_a_budget_that_is_used_up() {
        let budget = Budget::of(1 << 20);
        budget.set_script(200 << 20);
        let mut reservation = budget.reservation();
        assert!(reservation.grow(0) && !reservation.grow(1));
    }

    #[test]
    fn script_memory_and_reservations_share_one_budget() {
        let budget = Budget::of(100 << 20);
        let (mut one, mut other) = (budget.reservation(), budget.reservation());
        assert_eq!((budget.left(), budget.for_call()), (200 << 20, 164 << 20));
        assert!(one.grow(60 << 20) && other.grow(100 << 20) && !other.grow(41 << 20));
        assert_eq!((budget.left(), budget.for_call()), (40 << 20, 24 << 20), "what was refused is not counted");
        drop(one);
        budget.set_script(100 << 20);
        assert_eq!((budget.left(), other.bytes()), (0, 100 << 20));
        other.shrink(50 << 20);
        assert!(budget.reservation().grow(50 << 20) && !budget.reservation().grow(51 << 20));
        drop(other);
        assert_eq!(budget.left(), 100 << 20);
        assert!(Budget::unlimited().reservation().grow(usize::MAX));
    }
}
