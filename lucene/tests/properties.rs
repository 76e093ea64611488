//! What holds for every text: no panic, a small stack, a second at the most, a place inside the text, and printing that
//! parses to the same. `PROPTEST_CASES` asks for more cases than the everyday ones.
#![allow(missing_docs, reason = "a test")]

mod exercise;

use exercise::exercise;
use proptest::prelude::*;

/// Far less than any thread of the host has.
const STACK: usize = 256 << 10;

fn on_a_small_stack(job: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(job);
    let result = thread.map(std::thread::JoinHandle::join);
    assert!(matches!(result, Ok(Ok(()))), "the thread panicked");
}

fn configuration() -> ProptestConfig {
    let asked = ProptestConfig::default();
    ProptestConfig { cases: asked.cases.max(4_096), failure_persistence: None, ..asked }
}

/// Pieces of the grammar, strung together at random.
fn grammar() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a",
        "B",
        "日本",
        "😀",
        "foo-bar",
        "!!",
        "f:",
        "a.b:",
        "*:",
        "_exists_:",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        " TO ",
        "\"",
        "\"a b\"",
        "[a TO b]",
        "{* TO \"x\"}",
        "*",
        "?",
        "te*",
        "~",
        "~1",
        "~3",
        "^",
        "^2",
        "^0.5",
        "/",
        "/a.b/",
        "\\",
        "\\u0041",
        "\\ud83d",
        "+",
        "-",
        "!",
        "AND",
        "OR",
        "NOT",
        "&&",
        "||",
        " ",
        " ",
        " ",
        ">",
        "<=",
        "5",
        "\u{3000}",
        "\u{301}",
        "\u{200d}",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(configuration())]

    #[test]
    fn strings_of_the_grammar(text in grammar()) {
        exercise(&text);
    }

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        exercise(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_characters(text in any::<String>()) {
        exercise(&text);
    }
}

#[test]
fn the_table_prints_and_parses_to_the_same() {
    for line in include_str!("queries.txt").lines().filter(|line| !line.starts_with('#')) {
        exercise(line.split('\t').nth(1).unwrap());
    }
}

#[test]
fn long_runs_need_no_stack() {
    on_a_small_stack(|| {
        for run in [
            "(", ")", "f:(", "+(", "a AND (", "[", "{", "\"", "\\", "/", "*", "?", "~", "^", ":", "+", "-", "!",
            "NOT ", "a ", "-a ", "日", "\u{301}",
        ] {
            exercise(&run.repeat(8_192 / run.len()));
        }
        exercise(&format!("{}a{}", "(".repeat(64), ")".repeat(64)));
    });
}
