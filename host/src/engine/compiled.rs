//! Native code that was compiled from a component before.
//!
//! `unsafe` is used to load it.
#![allow(unsafe_code, reason = "native code can only be trusted, not checked")]

use wasmtime::{Engine, component::Component};

/// Native code that a process of this user has compiled, on this machine, from a component.
pub(crate) struct Compiled(Vec<u8>);

impl Compiled {
    /// Vouches for code: it must come from this program's own compiler, over a pipe or from a file that no other user could
    /// write and whose checksum is right.
    pub(crate) fn trusted(code: Vec<u8>) -> Self {
        Self(code)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Loads compiled code. Fails when it was compiled by another version of Wasmtime, with another configuration or for other
/// instructions of the processor.
pub(crate) fn load(engine: &Engine, code: &Compiled) -> wasmtime::Result<Component> {
    // SAFETY: `Compiled` is only made of code from this program's own compiler.
    unsafe { Component::deserialize(engine, &code.0) }
}
