//! What holds for every text: no panic, a small stack, a place inside the text, and printing that parses to the same.
#![allow(missing_docs, reason = "a test")]

use ghost_lucene::{Ast, Group, Limits, analyse, parse};
use proptest::prelude::*;

/// Far less than any thread of the host has.
const STACK: usize = 256 << 10;

/// Parses, analyses, prints, explains: everything that is done with a text that came from outside.
fn exercise(text: &str) {
    let limits = Limits::default();
    match parse(text, &limits) {
        Ok(group) => {
            if let Ok(query) = analyse(&group, &limits) {
                assert!(!query.to_string().is_empty());
            }
            prints_and_parses_to_the_same(group);
        }
        Err(error) => {
            assert!(error.position <= text.encode_utf16().count());
            assert!(error.with_caret(text).ends_with('^'));
        }
    }
}

fn prints_and_parses_to_the_same(mut group: Group) {
    let printed = group.to_string();
    let roomy = Limits { query_bytes: usize::MAX, ..Limits::default() };
    let mut again = parse(&printed, &roomy).unwrap_or_else(|error| panic!("{}", error.with_caret(&printed)));
    without_positions(&mut group);
    without_positions(&mut again);
    assert_eq!(again, group, "{printed}");
}

fn without_positions(group: &mut Group) {
    for clause in &mut group.clauses {
        match &mut clause.ast {
            Ast::Group(group) => without_positions(group),
            Ast::Leaf(leaf) => leaf.position = 0,
        }
    }
}

fn on_a_small_stack(job: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(job);
    let result = thread.unwrap().join();
    assert!(result.is_ok(), "it panicked");
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
    #![proptest_config(ProptestConfig { cases: 4_096, failure_persistence: None, ..ProptestConfig::default() })]

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
