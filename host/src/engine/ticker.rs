//! The clock of the runs: at each tick a running script yields, and its deadline is checked.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, Thread},
    time::Duration,
};

use wasmtime::Engine;

/// How long a script may hold a thread.
const TICK: Duration = Duration::from_millis(10);

/// A thread that ticks while a script runs, and sleeps while none does.
pub(crate) struct Ticker {
    state: Arc<Ticks>,
    thread: Thread,
}

#[derive(Default)]
struct Ticks {
    runs: AtomicUsize,
    ended: AtomicBool,
}

impl Ticker {
    /// The thread ends when the ticker is dropped.
    pub(crate) fn new(engine: Engine) -> Self {
        let state = Arc::new(Ticks::default());
        let ticks = Arc::clone(&state);
        let thread = thread::spawn(move || {
            while !ticks.ended.load(Ordering::Acquire) {
                engine.increment_epoch();
                match ticks.runs.load(Ordering::Acquire) {
                    0 => thread::park(),
                    _ => thread::sleep(TICK),
                }
            }
        });
        Self { state, thread: thread.thread().clone() }
    }

    /// Ticks until what is returned is dropped.
    pub(crate) fn start(&self) -> Ticking {
        if self.state.runs.fetch_add(1, Ordering::AcqRel) == 0 {
            self.thread.unpark();
        }
        Ticking(Arc::clone(&self.state))
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// The ticker ticks while this lives.
pub(crate) struct Ticking(Arc<Ticks>);

impl Drop for Ticking {
    fn drop(&mut self) {
        self.0.runs.fetch_sub(1, Ordering::AcqRel);
    }
}
