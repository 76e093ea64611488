//! ghost's JavaScript engine: QuickJS (by Javy), the event loop, the built-ins, and `g`, which is generated from the
//! WIT.
//!
//! The engine is initialized at build time (`init`, then a snapshot), so a run starts from an initialized engine. The engine
//! of a bundle is not, because the snapshot takes space; it initializes itself when it runs.
//! Random numbers and clocks differ between runs, so they are read from the host when a script asks for them.
#![cfg_attr(target_family = "wasm", feature(alloc_error_hook))]

mod builtins;
mod calls;
mod columns;
mod exception;
mod glue;
mod internal_errors;
mod memory;
mod missing_globals;
mod program;
mod run;
mod runtime;
mod timers;

/// The bindings that `wit-bindgen` generates from the WIT.
#[allow(missing_docs, clippy::all)]
mod bindings {
    #[cfg(feature = "external")]
    wit_bindgen::generate!({ world: "engine", path: "../wit", pub_export_macro: false });
    #[cfg(not(feature = "external"))]
    wit_bindgen::generate!({ world: "local-engine", path: "../wit", pub_export_macro: false });
    use super::Engine;
    export!(Engine);
}

use bindings::ghost::g::types::Failure;

struct Engine;

impl bindings::Guest for Engine {
    fn init() {
        runtime::get();
        internal_errors::install();
    }

    fn compile(name: String, source: String) -> Result<Vec<u8>, Failure> {
        program::compile(&name, &source)
    }

    async fn run(arguments: Vec<String>) -> Result<Option<String>, Failure> {
        internal_errors::install();
        run::run(arguments).await
    }
}
