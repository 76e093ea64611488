//! Test of the time that the lexer takes.

use super::*;

fn reads(text: &str) -> usize {
    let mut lexer = Lexer::new(text);
    while lexer.token().is_ok_and(|token| token.kind != Kind::End) {}
    lexer.reads.get()
}

#[test]
fn the_time_is_proportional_to_the_length() {
    let runs = [
        "a ",
        "a-",
        "\\u0041",
        "\"a\" ",
        "/a/ ",
        "[a TO b] ",
        "f:(",
        "~1",
        "^2.5",
        "*?",
        "+ ",
        "(",
        "\"",
        "/",
        "[",
        "^1.",
    ];
    for run in runs {
        let (one, many) = (reads(&run.repeat(100)), reads(&run.repeat(10_000)));
        assert!(one <= 8 * run.len() * 100 + 8, "{run}: {one}");
        assert!(many <= 8 * run.len() * 10_000 + 8, "{run}: {many}");
    }
}
