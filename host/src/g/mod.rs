//! The namespaces of `g`, one folder each: `mod.rs` is what it does, in plain Rust; `host.rs` serves the WIT interface
//! and decides nothing.

pub(crate) mod bounds;
pub(crate) mod checksum;
mod collections;
pub(crate) mod queue;
pub(crate) mod rows;
pub(crate) mod search;
pub(crate) mod store;
pub(crate) mod time;
