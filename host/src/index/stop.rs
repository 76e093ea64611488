//! When work on an index ends before it is done: past the deadline of the run that it is done for, out of its memory, or
//! interrupted.
//!
//! Work that takes long for one document or one query looks here from inside of it, on whatever thread it is.

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use super::out_of_time;
use crate::{Error, ErrorCode, budget::Budget, workspace::Session};

/// How many small steps are done between two looks at the clock: some microseconds.
const STEPS: u32 = 256;

/// What a query fails with that needs more memory than the run has.
const NO_MEMORY: &str = "the positions of the query's words in one document need more memory than the run has left";

/// Says whether to go on. Clones share it; once it has said no it says nothing else.
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
    /// At the end of a run's time, or when its program is interrupted.
    pub(crate) fn of(session: &Session) -> Self {
        Self::when(session.is_over(), session.budget().clone())
    }

    fn when(is_over: impl Fn() -> bool + Send + Sync + 'static, budget: Budget) -> Self {
        let (is_cut, lacks_memory, steps) = Default::default();
        Self(Arc::new(Inner { is_over: Box::new(is_over), is_cut, lacks_memory, steps, budget }))
    }

    /// Never.
    pub(crate) fn never() -> Self {
        Self::when(|| false, Budget::unlimited())
    }

    /// Whether the run has so much memory left for a moment, and as much again for all else that a search takes.
    pub(crate) fn has_memory(&self, bytes: usize) -> bool {
        bytes as u64 <= self.0.budget.for_call() / 2
    }

    /// Ends the work because the run has no memory left for it.
    pub(crate) fn lack_memory(&self) {
        self.0.lacks_memory.store(true, Ordering::Relaxed);
        self.0.is_cut.store(true, Ordering::Relaxed);
    }

    /// Whether something was left undone.
    pub(crate) fn is_cut(&self) -> bool {
        self.0.is_cut.load(Ordering::Relaxed)
    }

    /// Looks at the clock. True: what is being done is to be left undone.
    pub(crate) fn now(&self) -> bool {
        let is_cut = self.is_cut() || (self.0.is_over)();
        if is_cut {
            self.0.is_cut.store(true, Ordering::Relaxed);
        }
        is_cut
    }

    /// The same for a small step of many: it looks at the clock now and then.
    pub(crate) fn step(&self) -> bool {
        // Threads that count at once may lose a step, which does not matter.
        let steps = self.0.steps.load(Ordering::Relaxed).wrapping_add(1);
        self.0.steps.store(steps, Ordering::Relaxed);
        if steps.is_multiple_of(STEPS) { self.now() } else { self.is_cut() }
    }

    /// Fails when something was, or is to be, left undone.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.now() { Err(self.error()) } else { Ok(()) }
    }

    /// Why something was left undone.
    pub(super) fn error(&self) -> Error {
        match self.0.lacks_memory.load(Ordering::Relaxed) {
            true => Error::new(ErrorCode::Limit, NO_MEMORY),
            false => out_of_time(),
        }
    }
}

/// The stop of the work at hand, for the threads that work for an index as long as it is open.
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
