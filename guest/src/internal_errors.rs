//! What ends the engine from inside. Its own words are for the host's log; nothing of them is written to the script's user.

/// To be called when everything is in place: while the engine is built, a fault is shown as Rust does.
pub fn install() {
    std::panic::set_hook(Box::new(|panic| crate::bindings::ghost::g::program::fault(&panic.to_string())));
    #[cfg(target_family = "wasm")]
    std::alloc::set_alloc_error_hook(|_| {
        // The host knows that it refused memory, and ends the run by that limit.
        core::arch::wasm32::unreachable()
    });
}
