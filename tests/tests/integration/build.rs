//! How ghost is built: a library that takes minutes is compiled once.

use std::{
    collections::BTreeMap,
    process::{Command, Stdio},
};

use ghost_tests::program::repository;
use serde_json::Value;

/// The build script compiles the engine with the same compiler of WebAssembly that the program has. One feature that is
/// asked for on one side only would build all of it twice.
#[test]
fn nothing_but_small_libraries_is_built_twice() {
    for what in [&["--bin", "ghost"][..], &["--workspace", "--all-targets"]] {
        let twice: Vec<_> = libraries(what).into_iter().filter(|(_, times)| *times > 1).collect();
        assert!(
            twice.iter().all(|(name, _)| ["workspace-hack", "macro_magic@"].iter().any(|small| name.contains(small))),
            "{what:?} builds libraries several times: {twice:?}; see host/workspace-hack/Cargo.toml"
        );
    }
}

/// How many times each library of others is compiled.
fn libraries(what: &[&str]) -> BTreeMap<String, usize> {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--locked", "--offline", "--unit-graph", "-Z", "unstable-options"])
        .args(what)
        .env("RUSTC_BOOTSTRAP", "1")
        .current_dir(repository())
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo runs");
    let graph: Value = serde_json::from_slice(&output.stdout).expect("a graph of units");
    let mut times = BTreeMap::new();
    for unit in graph["units"].as_array().into_iter().flatten() {
        let is_library = unit["target"]["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "lib"));
        if is_library && unit["mode"] == "build" {
            *times.entry(unit["pkg_id"].to_string()).or_default() += 1;
        }
    }
    assert!(times.len() > 100, "the graph has {} libraries", times.len());
    times
}
