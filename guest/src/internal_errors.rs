//! Internal errors of the engine: panics and failed allocations. Their messages go to the host's log, not to the user.

use std::sync::Once;

static INSTALLED: Once = Once::new();

/// Installs the hooks, unless they are. Called at the end of the initialization, so that a panic during the build is shown as
/// usual; and when a run starts, because the engine of a bundle has no snapshot of the initialization.
pub fn install() {
    INSTALLED.call_once(set_hooks);
}

fn set_hooks() {
    std::panic::set_hook(Box::new(|panic| crate::bindings::ghost::g::runtime::fault(&panic.to_string())));
    #[cfg(target_family = "wasm")]
    std::alloc::set_alloc_error_hook(|_| {
        // The host has refused the memory, and ends the run by its memory limit.
        core::arch::wasm32::unreachable()
    });
}
