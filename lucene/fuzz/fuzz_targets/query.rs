//! In `lucene/`: `cargo +nightly fuzz run query -- -dict=fuzz/query.dict -max_len=8192 -max_total_time=600`.
#![no_main]

#[path = "../../tests/exercise/mod.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|text: &str| exercise::exercise(text));
