//! The memory of a run: what its script has, and what the host keeps for it beside.
//!
//! Everything that the host keeps because a script asked for it is counted here: console lines, partial output, what
//! calls were given, what came back, documents that a search takes in. What a script's values are copied to for one call is
//! bounded by what is left, and so is what a search holds of a document.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// How much may be there beside the script's memory.
const BESIDE: u64 = 100 << 20;
/// What of it the host needs itself, as a rule: its code, its caches, the tables of an index. No copies for a call take it.
const OWN: u64 = 36 << 20;
/// What there is for the copies for one call at least: enough for the largest document, so that an error says what is
/// wrong, and none that ends the run.
const CALL: u64 = 24 << 20;

/// The budget of one run. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Budget(Option<Arc<Used>>);

#[derive(Debug)]
struct Used {
    most: u64,
    script: AtomicU64,
    kept: AtomicU64,
}

impl Budget {
    /// For a run whose script may have so much memory.
    pub(crate) fn of(memory: u64) -> Self {
        let most = memory.saturating_add(BESIDE);
        Self(Some(Arc::new(Used { most, script: AtomicU64::new(0), kept: AtomicU64::new(0) })))
    }

    /// Without an end: for a program that is no script.
    pub(crate) fn unlimited() -> Self {
        Self(None)
    }

    /// Notes how much memory the script has.
    pub(crate) fn set_script(&self, bytes: u64) {
        if let Some(used) = &self.0 {
            used.script.store(bytes, Ordering::Relaxed);
        }
    }

    /// How much the values of one call may be that are copied for it.
    pub(crate) fn for_call(&self) -> u64 {
        self.left().saturating_sub(OWN).max(CALL)
    }

    /// How much more may be kept.
    fn left(&self) -> u64 {
        let left = |used: &Arc<Used>| {
            let taken = used.script.load(Ordering::Relaxed).saturating_add(used.kept.load(Ordering::Relaxed));
            used.most.saturating_sub(taken)
        };
        self.0.as_ref().map_or(u64::MAX, left)
    }

    /// A part of it, empty at first.
    pub(crate) fn kept(&self) -> Kept {
        Kept { budget: self.clone(), bytes: 0 }
    }
}

/// A part of a budget. Dropped, it is given back.
#[derive(Debug)]
pub(crate) struct Kept {
    budget: Budget,
    bytes: u64,
}

impl Kept {
    /// Counts bytes that are about to be kept. False when there is no room for them: then nothing is counted.
    #[must_use]
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        let Some(used) = &self.budget.0 else { return true };
        let bytes = bytes as u64;
        let kept = used.kept.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if kept.saturating_add(used.script.load(Ordering::Relaxed)) > used.most {
            used.kept.fetch_sub(bytes, Ordering::Relaxed);
            return false;
        }
        self.bytes += bytes;
        true
    }

    /// How many bytes are kept.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Gives bytes back that are kept no more.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        let bytes = (bytes as u64).min(self.bytes);
        self.bytes -= bytes;
        if let Some(used) = &self.budget.0 {
            used.kept.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.shrink(usize::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_script_has_and_what_is_kept_share_one_budget() {
        let budget = Budget::of(100 << 20);
        let (mut one, mut other) = (budget.kept(), budget.kept());
        assert_eq!((budget.left(), budget.for_call()), (200 << 20, 164 << 20));
        assert!(one.grow(60 << 20) && other.grow(100 << 20) && !other.grow(41 << 20));
        assert_eq!((budget.left(), budget.for_call()), (40 << 20, 24 << 20), "what was refused is not counted");
        drop(one);
        budget.set_script(100 << 20);
        assert_eq!((budget.left(), other.bytes()), (0, 100 << 20));
        other.shrink(50 << 20);
        assert!(budget.kept().grow(50 << 20) && !budget.kept().grow(51 << 20));
        drop(other);
        assert_eq!(budget.left(), 100 << 20);
        assert!(Budget::unlimited().kept().grow(usize::MAX));
    }
}
