//! What is committed is what the WIT says.

#![allow(clippy::unwrap_used)] // A test fails by a panic.

use std::{fs, path::Path};

/// Compares a committed file with what is generated, but for the line ends that git may have changed.
fn assert_fresh(file: &str, generated: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    let committed = fs::read_to_string(&file).unwrap().replace("\r\n", "\n");
    let stale = "is stale: run `cargo run --release -p ghost-bindgen -- write`";
    assert!(committed == generated, "{} {stale}", file.display());
}

#[test]
fn the_type_declarations_are_fresh() {
    let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit");
    assert_fresh("scripts/g.d.ts", &ghost_bindgen::types(&wit).unwrap());
}

#[test]
fn the_reference_is_fresh() {
    let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit");
    assert_fresh("docs/reference.md", &ghost_bindgen::reference(&wit).unwrap());
}
