//! What goes to standard output and standard error, and what must not go to a terminal.
//!
//! Scripts, servers and stored documents say what they like. On a terminal all of it passes [`harmless`], so that it moves no
//! cursor and looks like what it is; and no line of a script begins as ghost's own do ([`quoted`]).

use std::{
    borrow::Cow,
    fmt::{self, Write as _},
    io::{self, IsTerminal, Write},
};

/// What ghost's own lines begin with on a terminal.
pub(crate) const ERROR: &str = "error:";
pub(crate) const NOTE: &str = "note:";

/// What stands before a line of somebody else's that would begin so.
const MARK: &str = "│ ";

/// Prints a text and a line's end. A reader that has gone is no failure.
pub(crate) fn print(text: &str) -> io::Result<()> {
    if io::stdout().is_terminal() { print_styled(&harmless(text)) } else { print_styled(text) }
}

/// The same for a text with colours of ours, of which all else is harmless already.
pub(crate) fn print_styled(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// The same on standard error. When that fails, there is nowhere left to say so.
pub(crate) fn print_error(text: &str) {
    let line = format!("{text}\n");
    let _nowhere_to_tell = io::stderr().lock().write_all(line.as_bytes());
}

/// What the script wrote to its console: as it is, but on a terminal.
pub(crate) fn print_console(text: &str) {
    if io::stderr().is_terminal() { print_error(&quoted(&harmless(text))) } else { print_error(text) }
}

/// A text of somebody else's with a mark before each line that would begin as ghost's own do.
pub(crate) fn quoted(text: &str) -> Cow<'_, str> {
    if !text.lines().any(is_like_ours) {
        return text.into();
    }
    text.split('\n').map(|line| quote_mark(line).to_owned() + line).collect::<Vec<_>>().join("\n").into()
}

/// The same for what follows on a line that ghost begins.
pub(crate) fn quoted_below(text: &str) -> Cow<'_, str> {
    match text.split_once('\n') {
        Some((first, rest)) => format!("{first}\n{}", quoted(rest)).into(),
        None => text.into(),
    }
}

/// The mark before a line, if it needs one.
pub(crate) fn quote_mark(line: &str) -> &'static str {
    if is_like_ours(line) { MARK } else { "" }
}

fn is_like_ours(line: &str) -> bool {
    let line = line.trim_start();
    let begins = |mark: &&str| line.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark));
    // The language's own class, which every script shows.
    [ERROR, NOTE].iter().any(begins) && !line.starts_with("Error:")
}

/// A text in which what a terminal obeys, and what is not seen or reorders what is seen, stands as an escape.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    escaped(text, |character, shown| match u32::from(character) {
        code @ ..0x100 => write!(shown, "\\x{code:02x}"),
        code => write!(shown, "\\u{{{code:x}}}"),
    })
}

/// The same for JSON, which it stays.
pub(crate) fn harmless_json(json: &str) -> Cow<'_, str> {
    escaped(json, |character, shown| {
        character.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(shown, "\\u{unit:04x}"))
    })
}

fn escaped(text: &str, escape: impl Fn(char, &mut String) -> fmt::Result) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_harmful(character) {
            let _infallible = escape(character, &mut shown);
        } else {
            shown.push(character);
        }
    }
    shown.into()
}

/// Control characters but the line's end and the tab; ends of lines and paragraphs that only some programs know; marks that
/// reorder text; what has no width and no ink, so that two texts look the same; tags. The sign that asks for an emoji's
/// coloured form (U+FE0F) is let through: it hides nothing and is everywhere.
fn is_harmful(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' => true,
        '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' => true,
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        other => other.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(harmless("a\x1b[2J\u{9b}1m\x07\u{202e}b\r"), "a\\x1b[2J\\x9b1m\\x07\\u{202e}b\\x0d");
        assert_eq!(harmless("grüße\n\t日本"), "grüße\n\t日本");
        let hidden = "\u{85}\u{ad}\u{200b}\u{200d}\u{2028}\u{2029}\u{2066}\u{feff}\u{3164}\u{e0041}\u{e0100}";
        for character in hidden.chars() {
            let shown = harmless(&format!("a{character}b")).into_owned();
            assert!(shown.is_ascii() && shown.contains(&format!("{:x}", u32::from(character))), "{shown}");
        }
        assert_eq!(harmless("❤\u{fe0f} e\u{301} ü"), "❤\u{fe0f} e\u{301} ü");
    }

    #[test]
    fn no_line_of_somebody_elses_begins_as_ghosts_own() {
        assert_eq!(quoted("a\nerror: x\n  Note: y\n"), "a\n│ error: x\n│   Note: y\n");
        assert_eq!(quoted("error\nError: the script's"), "error\nError: the script's");
        assert_eq!(quoted("an error: x"), "an error: x");
        assert_eq!(quoted_below("error: a\nerror: b"), "error: a\n│ error: b");
        assert_eq!(quoted(&harmless("\u{200b}error: x\rerror: y")), "\\u{200b}error: x\\x0derror: y");
    }

    #[test]
    fn json_stays_json() {
        let shown = harmless_json("\"a\u{7f}\u{9b}\u{202e}b\"");
        assert_eq!(shown, r#""a\u007f\u009b\u202eb""#);
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), "a\u{7f}\u{9b}\u{202e}b");
        let shown = harmless_json("\"\u{e0041}\"");
        assert_eq!((&*shown, serde_json::from_str(&shown).unwrap()), (r#""\udb40\udc41""#, "\u{e0041}".to_owned()));
    }
}
