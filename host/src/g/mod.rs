//! The namespaces of `g`, one folder each: `host.rs` implements the WIT interface and makes no decisions; `client.rs` is
//! the same for programs. The rows and rules of the local namespaces are in `data`.

pub(crate) mod queue;
mod rest;
pub(crate) mod search;
pub mod sqldb;
pub(crate) mod store;

use std::{future::Future, pin::Pin};

use wasmtime::component::{HasSelf, Linker};

use crate::{Error, bindings::ghost, gate::Call, run::State, secrets::Secret};

/// A namespace that reaches another system.
pub(crate) struct External {
    /// Its interface's name: `sqldb`.
    pub(crate) interface: &'static str,
    /// Whether a secret looks like one of its own; nothing is reached.
    pub(crate) fits: fn(&Secret) -> bool,
    /// Connects with a secret, and says in a few words who answered.
    pub(crate) connect: Connect,
}

type Connect = for<'a> fn(&'a Call<'a>, &'a Secret) -> Pin<Box<dyn Future<Output = Result<String, Error>> + Send + 'a>>;

/// The namespaces that reach other systems. Scripts of MCP origin have none of them.
pub(crate) const EXTERNAL: &[External] = &[sqldb::EXTERNAL];

/// Links the namespaces that are kept in the workspace.
pub(crate) fn link_local(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    ghost::g::store::add_to_linker::<_, HasSelf<State>>(linker, |state| state)?;
    ghost::g::queue::add_to_linker::<_, HasSelf<State>>(linker, |state| state)?;
    ghost::g::search::add_to_linker::<_, HasSelf<State>>(linker, |state| state)
}

/// Links those of [`EXTERNAL`].
pub(crate) fn link_external(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    ghost::g::sqldb::add_to_linker::<_, HasSelf<State>>(linker, |state| state)
}
