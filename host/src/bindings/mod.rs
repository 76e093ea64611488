//! What crosses the boundary to the script: what `bindgen!` makes of the WIT, and the error that stands for its own.
#![allow(missing_docs, missing_debug_implementations, clippy::all, reason = "generated")]

pub(crate) mod error;

wasmtime::component::bindgen!({
    world: "engine",
    path: "../wit",
    imports: { default: trappable },
    exports: { "init": async, "compile": async },
    trappable_error_type: { "ghost:g/types.error" => self::error::Error },
    additional_derives: [PartialEq],
});

/// What every script exports, ours and those of other languages.
pub mod script {
    wasmtime::component::bindgen!({
        world: "local-script",
        path: "../wit",
        require_store_data_send: true,
        with: {
            "ghost:g/types": super::ghost::g::types,
            "ghost:g/console": super::ghost::g::console,
            "ghost:g/store": super::ghost::g::store,
            "ghost:g/queue": super::ghost::g::queue,
            "ghost:g/search": super::ghost::g::search,
        },
    });
}
