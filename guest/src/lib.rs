//! ghost's JavaScript engine: QuickJS by Javy, the event loop, the built-ins, and `g`, which is made from the WIT.
//!
//! The engine is built once. Its start-up runs at build (`init`, then a snapshot), so that a run begins with everything
//! in place; what must differ between two runs (random numbers, clocks) is fetched when it is asked for.
#![cfg_attr(target_family = "wasm", feature(alloc_error_hook))]

mod absent;
mod builtins;
mod calls;
mod exception;
mod faults;
mod glue;
mod memory;
mod places;
mod program;
mod run;
mod runtime;
mod timers;

/// What `wit-bindgen` makes of the WIT.
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
        faults::install();
    }

    fn compile(name: String, source: String) -> Result<Vec<u8>, Failure> {
        program::compile(&name, &source)
    }

    async fn run(arguments: Vec<String>) -> Result<Option<String>, Failure> {
        run::run(arguments).await
    }
}
