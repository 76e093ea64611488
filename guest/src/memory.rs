//! The memory limit of the script.

use std::cell::Cell;

use crate::runtime;

/// The part of the script's memory that stays free for the out-of-memory error.
const RESERVE_BYTES: usize = 4 << 20;
/// The part of the reserve that one error may use.
const ERROR_BYTES: usize = 1 << 20;

thread_local! {
    static USED_UP: Cell<bool> = const { Cell::new(false) };
}

/// Sets the memory limit of the run.
pub fn limit(bytes: u64) {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    runtime::get().context().runtime().set_memory_limit(bytes.saturating_sub(RESERVE_BYTES));
}

/// Whether an allocation has failed in this run.
pub fn was_used_up() -> bool {
    USED_UP.get()
}

/// Records a failed allocation, and returns the memory that its error may use. quickjs.patch calls it.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn ghost_out_of_memory() -> usize {
    USED_UP.set(true);
    ERROR_BYTES
}
