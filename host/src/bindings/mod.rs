//! The bindings that `bindgen!` generates from the WIT.
#![allow(missing_docs, missing_debug_implementations, clippy::all, reason = "generated")]

pub(crate) mod error;

wasmtime::component::bindgen!({
    world: "engine",
    path: "../wit",
    imports: {
        // A call may wait for another process that has the workspace.
        "ghost:g/store": async | trappable,
        "ghost:g/queue": async | trappable,
        "ghost:g/search": async | trappable,
        // It waits until the run's earlier writes are on disk.
        "ghost:g/functions.call": async | trappable,
        default: trappable,
    },
    exports: { "init": async, "compile": async },
    trappable_error_type: { "ghost:g/types.error" => self::error::Error },
    additional_derives: [PartialEq],
});

/// The exports of every script, in JavaScript or another language.
pub mod script {
    /// A linked script of any origin: the exports of both worlds are the same, so the type that is generated from
    /// `local-script` serves both.
    pub(crate) type ScriptPre<T> = LocalScriptPre<T>;

    wasmtime::component::bindgen!({
        world: "local-script",
        path: "../wit",
        require_store_data_send: true,
        with: {
            "ghost:g/types": super::ghost::g::types,
            "ghost:g/console": super::ghost::g::console,
            "ghost:g/runtime": super::ghost::g::runtime,
            "ghost:g/functions": super::ghost::g::functions,
            "ghost:g/store": super::ghost::g::store,
            "ghost:g/queue": super::ghost::g::queue,
            "ghost:g/search": super::ghost::g::search,
        },
    });
}
