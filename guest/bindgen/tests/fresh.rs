//! What is committed is what the WIT says.

#![allow(clippy::unwrap_used)] // A test fails by a panic.

use std::{fs, path::Path};

const WIT: &str = "../../wit";

/// Compares a committed file with what is generated, but for the line ends that git may have changed.
fn assert_fresh(file: &str, generated: &str) {
    // Cargo runs tests in the folder of their package.
    let file = Path::new("../..").join(file);
    let committed = fs::read_to_string(&file).unwrap().replace("\r\n", "\n");
    let stale = "is stale: run `cargo run --release -p ghost-bindgen -- write`";
    assert!(committed == generated, "{} {stale}", file.display());
}

#[test]
fn the_type_declarations_are_fresh() {
    assert_fresh("scripts/g.d.ts", &ghost_bindgen::types(Path::new(WIT)).unwrap());
}

#[test]
fn the_reference_is_fresh() {
    assert_fresh("docs/reference.md", &ghost_bindgen::reference(Path::new(WIT)).unwrap());
}
