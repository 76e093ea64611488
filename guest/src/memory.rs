//! The end of the script's memory.

use std::cell::Cell;

use crate::runtime;

/// What stays free of the script's memory, so that there is room to tell of its end.
const RESERVE_BYTES: usize = 4 << 20;
/// How much of it one error may take.
const ERROR_BYTES: usize = 1 << 20;

thread_local! {
    static USED_UP: Cell<bool> = const { Cell::new(false) };
}

/// Sets the memory of the run, which was not known at build.
pub fn limit(bytes: u64) {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    runtime::get().context().runtime().set_memory_limit(bytes.saturating_sub(RESERVE_BYTES));
}

/// Whether an allocation was refused in this run.
pub fn was_used_up() -> bool {
    USED_UP.get()
}

/// QuickJS tells that an allocation was refused (quickjs.patch), and learns how much its error may use.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn ghost_out_of_memory() -> usize {
    USED_UP.set(true);
    ERROR_BYTES
}
