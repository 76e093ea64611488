//! The namespaces of `g`, one folder each: `host.rs` implements the WIT interface and makes no decisions; `client.rs` is
//! the same for programs. The rows and rules of the local namespaces are in `data`.

pub(crate) mod clustersearch;
pub(crate) mod documentdb;
mod external;
pub(crate) mod json;
pub(crate) mod objectstore;
mod omitted;
pub(crate) mod queue;
pub(crate) mod search;
pub mod sqldb;
pub(crate) mod store;

use wasmtime::component::{HasSelf, Linker};

use crate::{bindings::ghost, run::State};
pub(crate) use external::{External, Namespace};

/// The namespaces of `g`, the local ones first.
pub(crate) const NAMESPACES: [&str; 7] =
    ["store", "queue", "search", "objectstore", "documentdb", "sqldb", "clustersearch"];

/// The namespaces that reach other systems. Scripts of MCP origin have none of them.
pub(crate) const EXTERNAL: &[Namespace] = &[
    Namespace::of::<objectstore::Objectstore>(),
    Namespace::of::<documentdb::Documentdb>(),
    Namespace::of::<sqldb::Sqldb>(),
    Namespace::of::<clustersearch::Clustersearch>(),
];

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
