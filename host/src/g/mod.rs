//! The namespaces of `g`, one folder each: `mod.rs` is what it does, in plain Rust; `host.rs` serves the WIT interface
//! and decides nothing.

pub(crate) mod store;

/// The pools of the external namespaces, which the runs of a host share: a field each.
#[derive(Default)]
pub(crate) struct Clients {}
