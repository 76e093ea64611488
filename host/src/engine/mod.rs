//! Wasmtime: its configuration, the JavaScript engines that are built in, the compiler of components, the ticker.
//!
//! Nothing here knows a run: the modules above determine what a script can call.

pub(crate) mod built_in;
pub(crate) mod compiler;
pub(crate) mod config;
mod ticker;
pub(crate) mod wasi;

pub(crate) use ticker::{Ticker, Ticking};
