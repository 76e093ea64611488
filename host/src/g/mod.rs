//! The namespaces of `g`, one folder each: `mod.rs` is what it does, in plain Rust; `host.rs` serves the WIT interface
//! and decides nothing.

pub(crate) mod bounds;
pub(crate) mod checksum;
mod collections;
mod external;
pub(crate) mod json;
pub(crate) mod queue;
pub(crate) mod rest;
pub(crate) mod rows;
pub(crate) mod search;
pub mod sqldb;
pub(crate) mod store;
pub(crate) mod time;

use wasmtime::component::{HasSelf, Linker};

use crate::{bindings::ghost, run::State};
pub(crate) use external::{External, Namespace};

/// The namespaces that reach other systems. Scripts of MCP origin have none of them.
pub(crate) const EXTERNAL: &[Namespace] = &[Namespace::of::<sqldb::Sqldb>()];

/// Links the namespaces that are kept in the workspace.
pub(crate) fn link_local(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    ghost::g::store::add_to_linker::<_, HasSelf<State>>(linker, |state| state)?;
    ghost::g::queue::add_to_linker::<_, HasSelf<State>>(linker, |state| state)?;
    ghost::g::search::add_to_linker::<_, HasSelf<State>>(linker, |state| state)
}

/// Links those of [`EXTERNAL`].
pub(crate) fn link_external(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    EXTERNAL.iter().try_for_each(|external| (external.link)(linker))
}
