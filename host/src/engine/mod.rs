//! Wasmtime: its configuration, the JavaScript engines that are built in, the compiler of components, the ticker.
//!
//! Nothing here knows a run: the modules above determine what a script can call.

pub(crate) mod built_in;
pub(crate) mod compiled;
pub(crate) mod compiler;
pub(crate) mod config;
mod ticker;
pub(crate) mod wasi;

pub(crate) use ticker::{Ticker, Ticking};

/// Whether the built-in engines run on this processor: on x86-64, [`config::X86_64`] or newer.
pub(crate) fn has_processor() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::is_x86_feature_detected as has;
        has!("sse4.2") && has!("popcnt") && has!("cmpxchg16b")
    }
    #[cfg(not(target_arch = "x86_64"))]
    true
}
