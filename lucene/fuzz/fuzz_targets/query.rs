//! `cargo fuzz run query`, in `lucene/`.
#![no_main]

#[path = "../../tests/exercise/mod.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|text: &str| exercise::exercise(text));
