//! What is done with a text that came from outside; the fuzz target does the same.

use std::time::{Duration, Instant};

use ghost_lucene::{Ast, Group, Limits, analyse, parse};

/// No query may take longer. The usual time is a thousandth of it.
const LONGEST: Duration = Duration::from_secs(1);
/// A busy machine may take the time from a query once, but not every time.
const TRIES: usize = 5;

/// Parses, analyses, prints, explains: everything that is done with a text that came from outside.
pub fn exercise(text: &str) {
    let is_fast = |_| {
        let start = Instant::now();
        exercise_at_leisure(text);
        start.elapsed() < LONGEST
    };
    assert!((0..TRIES).any(is_fast), "{text:?} takes longer than {LONGEST:?}");
}

fn exercise_at_leisure(text: &str) {
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
