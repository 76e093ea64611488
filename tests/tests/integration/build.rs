//! How ghost is built: a library that takes minutes is compiled once, and a Cargo feature that is off brings nothing in.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::{Command, Stdio},
};

use ghost_tests::program::repository;
use serde_json::Value;

/// The build script compiles the engine with the same compiler of WebAssembly that the program has. One feature that is
/// asked for on one side only would build all of it twice.
#[test]
fn nothing_but_small_libraries_is_built_twice() {
    let whole = [vec!["--bin", "ghost"], vec!["--workspace", "--all-targets"]];
    let parts = std::iter::once("")
        .chain(FEATURES)
        .map(|feature| vec!["--package", "ghost", "--lib", "--no-default-features", "--features", feature]);
    for what in whole.into_iter().chain(parts) {
        let twice: Vec<_> = libraries(&what).into_iter().filter(|(_, times)| *times > 1).collect();
        assert!(
            twice.iter().all(|(name, _)| ["workspace-hack", "macro_magic@"].iter().any(|small| name.contains(small))),
            "{what:?} builds libraries several times: {twice:?}; see host/workspace-hack/Cargo.toml"
        );
    }
}

/// The features of the crate.
const FEATURES: [&str; 6] = ["clustersearch", "cli", "documentdb", "mcp", "objectstore", "sqldb"];

/// Libraries that belong to features: the command line, cryptography, TLS, HTTP, the clients, the MCP server.
const OPTIONAL: [&str; 13] = [
    "age",
    "aws-sdk-s3",
    "clap",
    "elasticsearch",
    "http",
    "hyper",
    "mongodb",
    "postgres-protocol",
    "reqwest",
    "ring",
    "rmcp",
    "rustls",
    "tokio-rustls",
];

#[test]
fn a_build_without_features_has_no_command_line_no_tls_and_no_http() {
    let all = dependencies(&[]);
    let missing: Vec<_> = OPTIONAL.iter().filter(|name| !all.contains(**name)).collect();
    assert!(missing.is_empty(), "not even all features bring in {missing:?}");
    let none = dependencies(&["--no-default-features"]);
    let unwanted = |name: &&String| {
        let families = ["aws-", "clap", "hyper", "http", "openssl", "native-tls", "rustls", "tower", "webpki"];
        OPTIONAL.contains(&name.as_str()) || families.iter().any(|family| name.starts_with(family))
    };
    let unwanted: Vec<_> = none.iter().filter(unwanted).collect();
    assert!(unwanted.is_empty(), "a build without features has {unwanted:?}");
    assert!(none.len() * 2 < all.len(), "{} of {} libraries are always built", none.len(), all.len());
}

/// Of the optional libraries, a feature has those of its own purpose.
#[test]
fn a_feature_brings_in_its_own_libraries_alone() {
    let expected: [(&str, &[&str]); 6] = [
        ("clustersearch", &["age", "elasticsearch", "http", "hyper", "reqwest", "ring", "rustls", "tokio-rustls"]),
        ("cli", &["age", "clap"]),
        ("documentdb", &["age", "mongodb", "ring", "rustls", "tokio-rustls"]),
        ("mcp", &["age", "clap", "http", "hyper", "rmcp"]),
        ("objectstore", &["age", "aws-sdk-s3", "http", "hyper", "ring", "rustls", "tokio-rustls"]),
        ("sqldb", &["age", "postgres-protocol", "ring", "rustls", "tokio-rustls"]),
    ];
    for (feature, expected) in expected {
        let has = dependencies(&["--no-default-features", "--features", feature]);
        let has: Vec<_> = OPTIONAL.iter().filter(|name| has.contains(**name)).copied().collect();
        assert_eq!(has, expected, "{feature}");
    }
}

/// The names of the libraries that the crate is linked from.
fn dependencies(features: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--package", "ghost", "--edges", "normal", "--prefix", "none"])
        .args(features)
        .current_dir(repository())
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "cargo tree {features:?}: {}", output.status);
    let tree = String::from_utf8(output.stdout).expect("a tree is text");
    tree.lines().filter_map(|line| line.split(' ').next()).map(ToOwned::to_owned).collect()
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
