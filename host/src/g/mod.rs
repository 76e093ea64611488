//! The namespaces of `g`, one folder each: `host.rs` implements the WIT interface and makes no decisions; `client.rs` is
//! the same for programs. The rows and rules of the local namespaces are in `data`. Each external namespace is a Cargo feature.

#[cfg(feature = "clustersearch")]
pub(crate) mod clustersearch;
#[cfg(feature = "documentdb")]
pub(crate) mod documentdb;
mod external;
pub(crate) mod json;
mod namespace;
#[cfg(feature = "objectstore")]
pub(crate) mod objectstore;
mod omitted;
pub(crate) mod queue;
pub(crate) mod search;
#[cfg(feature = "sqldb")]
pub mod sqldb;
pub(crate) mod stand_in;
pub(crate) mod store;

use wasmtime::component::{HasSelf, Linker};

use crate::{bindings::ghost, run::State};
pub(crate) use external::{AnyExternal, External};
pub use namespace::Namespace;

/// The namespaces of this build that reach other systems. Scripts of MCP origin have none of them.
pub(crate) const EXTERNAL: &[AnyExternal] = &[
    #[cfg(feature = "objectstore")]
    AnyExternal::of::<objectstore::Objectstore>(),
    #[cfg(feature = "documentdb")]
    AnyExternal::of::<documentdb::Documentdb>(),
    #[cfg(feature = "sqldb")]
    AnyExternal::of::<sqldb::Sqldb>(),
    #[cfg(feature = "clustersearch")]
    AnyExternal::of::<clustersearch::Clustersearch>(),
];

/// Links the interface of a namespace.
type Link = fn(&mut Linker<State>) -> wasmtime::Result<()>;

/// Returns what links a namespace; none if this build lacks it.
pub(crate) fn linker_of(namespace: Namespace) -> Option<Link> {
    match namespace {
        Namespace::Store => Some(|linker| ghost::g::store::add_to_linker::<_, HasSelf<State>>(linker, |state| state)),
        Namespace::Queue => Some(|linker| ghost::g::queue::add_to_linker::<_, HasSelf<State>>(linker, |state| state)),
        Namespace::Search => Some(|linker| ghost::g::search::add_to_linker::<_, HasSelf<State>>(linker, |state| state)),
        external => EXTERNAL.iter().find(|one| one.namespace == external).map(|one| one.link),
    }
}
