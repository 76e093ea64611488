//! The committed engines were built from the committed sources.

use std::{fmt::Write, fs, process::Command};

use ghost_tests::program::repository;
use sha2::{Digest, Sha256};

/// A line of the manifest: `sources <hash>`.
fn manifest(key: &str) -> String {
    let manifest = fs::read_to_string(repository().join("guest/engine/manifest")).expect("the engine has a manifest");
    let value = manifest.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
    value.unwrap_or_else(|| panic!("the manifest has no {key}")).to_owned()
}

#[test]
fn the_engines_were_built_from_these_sources() {
    let hash = Command::new(repository().join("guest/sources-hash")).output().expect("guest/sources-hash runs");
    assert!(hash.status.success(), "{}", String::from_utf8_lossy(&hash.stderr));
    let here = String::from_utf8_lossy(&hash.stdout);
    assert_eq!(here.trim(), manifest("sources"), "the engines are stale: run guest/build-engine");
}

#[test]
fn the_engines_match_the_manifest() {
    for name in ["engine", "bundle-engine", "local-engine", "bundle-local-engine"] {
        let file = repository().join("guest/engine").join(name).with_extension("wasm");
        let engine = fs::read(file).expect("the engines are committed");
        let hash = Sha256::digest(&engine).iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        assert_eq!(hash, manifest(name), "{name} is not what guest/build-engine made");
    }
}
