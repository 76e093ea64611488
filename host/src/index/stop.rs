//! When work on an index has to stop: after the deadline of its run, when the run has no memory left, or when the program is
//! interrupted.
//!
//! Work that may take long for one document or one query checks it from inside, on any thread.

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use super::out_of_time;
use crate::{Error, ErrorCode, budget::Budget};

/// How many small steps are done between two checks of the clock: some microseconds.
const STEPS_PER_CHECK: u32 = 256;

/// What a query fails with that needs more memory than the run has.
const NO_MEMORY: &str = "the positions of the query's words in one document need more memory than the run has left";

/// Says whether to stop. Clones share it; once it says yes, it always does.
#[derive(Clone)]
pub(crate) struct Stop(Arc<Inner>);

struct Inner {
    is_over: Box<dyn Fn() -> bool + Send + Sync>,
    is_cut: AtomicBool,
    lacks_memory: AtomicBool,
    steps: AtomicU32,
    budget: Budget,
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stop").field("is_cut", &self.is_cut()).finish_non_exhaustive()
    }
}

impl Stop {
    /// Stops when this returns true, or when a query needs more memory than the budget has left.
    pub(crate) fn when(is_over: impl Fn() -> bool + Send + Sync + 'static, budget: Budget) -> Self {
        let (is_cut, lacks_memory, steps) = Default::default();
        Self(Arc::new(Inner { is_over: Box::new(is_over), is_cut, lacks_memory, steps, budget }))
    }

    /// Never stops.
    pub(crate) fn never() -> Self {
        Self::when(|| false, Budget::unlimited())
    }

    /// Whether the run has twice this memory left: for one step, and for everything else in a search.
    pub(crate) fn has_memory(&self, bytes: usize) -> bool {
        bytes as u64 <= self.0.budget.for_call() / 2
    }

    /// Stops the work because the run has no memory left for it.
    pub(crate) fn lack_memory(&self) {
        self.0.lacks_memory.store(true, Ordering::Relaxed);
        self.0.is_cut.store(true, Ordering::Relaxed);
    }

    /// Whether work was stopped.
    pub(crate) fn is_cut(&self) -> bool {
        self.0.is_cut.load(Ordering::Relaxed)
    }

    /// Checks the clock. True when work has to stop.
    pub(crate) fn now(&self) -> bool {
        let is_cut = self.is_cut() || (self.0.is_over)();
        if is_cut {
            self.0.is_cut.store(true, Ordering::Relaxed);
        }
        is_cut
    }

    /// The same for a small step of many: it checks the clock only now and then.
    pub(crate) fn step(&self) -> bool {
        // Concurrent threads may lose a step, which does not matter.
        let steps = self.0.steps.load(Ordering::Relaxed).wrapping_add(1);
        self.0.steps.store(steps, Ordering::Relaxed);
        if steps.is_multiple_of(STEPS_PER_CHECK) { self.now() } else { self.is_cut() }
    }

    /// Fails when work was stopped or has to stop.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.now() { Err(self.error()) } else { Ok(()) }
    }

    /// Why work was stopped.
    pub(crate) fn error(&self) -> Error {
        match self.0.lacks_memory.load(Ordering::Relaxed) {
            true => Error::new(ErrorCode::Limit, NO_MEMORY),
            false => out_of_time(),
        }
    }
}

/// The stop of the current work, for the threads of an open index.
#[derive(Clone, Debug)]
pub(super) struct Current(Arc<Mutex<Stop>>);

impl Default for Current {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Stop::never())))
    }
}

impl Current {
    pub(super) fn set(&self, stop: Stop) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = stop;
    }

    pub(super) fn get(&self) -> Stop {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
