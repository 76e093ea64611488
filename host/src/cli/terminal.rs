//! Writes to standard output and standard error, and filters untrusted text for a terminal.
//!
//! Scripts, servers and stored documents may contain any text. On a terminal, [`escape`] replaces the characters that
//! control it or are invisible, and [`quoted`] marks lines of a script that begin like those of ghost.

use std::{
    borrow::Cow,
    fmt::{self, Write as _},
    io::{self, IsTerminal, Write},
};

/// The prefixes of ghost's own lines on a terminal.
pub(crate) const ERROR: &str = "error:";
pub(crate) const NOTE: &str = "note:";

/// The mark before a line from another source that begins with such a prefix.
const MARK: &str = "│ ";

/// Prints a text and a line break. A closed pipe is not an error.
pub(crate) fn print(text: &str) -> io::Result<()> {
    if io::stdout().is_terminal() { print_styled(&escape(text)) } else { print_styled(text) }
}

/// Prints a text that contains colour codes of ghost; everything else in it is escaped already.
pub(crate) fn print_styled(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Prints a text and a line break on standard error. An error of standard error can't be reported anywhere.
pub(crate) fn print_error(text: &str) {
    let line = format!("{text}\n");
    let _unreportable = io::stderr().lock().write_all(line.as_bytes());
}

/// Prints console output of a script; filters it on a terminal.
pub(crate) fn print_console(text: &str) {
    if io::stderr().is_terminal() { print_error(&quoted(&escape(text))) } else { print_error(text) }
}

/// Marks each line of an untrusted text that begins like a line of ghost.
pub(crate) fn quoted(text: &str) -> Cow<'_, str> {
    if !text.lines().any(looks_like_ghost) {
        return text.into();
    }
    text.split('\n').map(|line| quote_mark(line).to_owned() + line).collect::<Vec<_>>().join("\n").into()
}

/// Marks such lines except the first one, which follows a prefix of ghost.
pub(crate) fn quoted_below(text: &str) -> Cow<'_, str> {
    match text.split_once('\n') {
        Some((first, rest)) => format!("{first}\n{}", quoted(rest)).into(),
        None => text.into(),
    }
}

/// Returns the mark for a line; empty if it needs none.
pub(crate) fn quote_mark(line: &str) -> &'static str {
    if looks_like_ghost(line) { MARK } else { "" }
}

fn looks_like_ghost(line: &str) -> bool {
    let line = line.trim_start();
    let begins = |mark: &&str| line.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark));
    // The JavaScript class `Error` is allowed, since errors of scripts begin with it.
    [ERROR, NOTE].iter().any(begins) && !line.starts_with("Error:")
}

/// Replaces characters that control a terminal, are invisible or reorder text by escapes.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    escape_with(text, |character, shown| match u32::from(character) {
        code @ ..0x100 => write!(shown, "\\x{code:02x}"),
        code => write!(shown, "\\u{{{code:x}}}"),
    })
}

/// Does the same in JSON with JSON escapes, so that its value does not change.
pub(crate) fn escape_json(json: &str) -> Cow<'_, str> {
    escape_with(json, |character, shown| {
        character.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(shown, "\\u{unit:04x}"))
    })
}

fn escape_with(text: &str, write_escape: impl Fn(char, &mut String) -> fmt::Result) -> Cow<'_, str> {
    if !text.contains(needs_escape) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if needs_escape(character) {
            let _infallible = write_escape(character, &mut shown);
        } else {
            shown.push(character);
        }
    }
    shown.into()
}

/// Whether a character needs an escape: control characters except line feed and tab; Unicode line and paragraph
/// separators; marks that reorder text; characters without width, which make different texts look equal; tags. The
/// variation selector for emoji (U+FE0F) needs none: it is common and hides nothing.
fn needs_escape(character: char) -> bool {
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
    fn control_characters_are_shown_as_escapes() {
        assert_eq!(escape("a\x1b[2J\u{9b}1m\x07\u{202e}b\r"), "a\\x1b[2J\\x9b1m\\x07\\u{202e}b\\x0d");
        assert_eq!(escape("grüße\n\t日本"), "grüße\n\t日本");
        let hidden = "\u{85}\u{ad}\u{200b}\u{200d}\u{2028}\u{2029}\u{2066}\u{feff}\u{3164}\u{e0041}\u{e0100}";
        for character in hidden.chars() {
            let shown = escape(&format!("a{character}b")).into_owned();
            assert!(shown.is_ascii() && shown.contains(&format!("{:x}", u32::from(character))), "{shown}");
        }
        assert_eq!(escape("❤\u{fe0f} e\u{301} ü"), "❤\u{fe0f} e\u{301} ü");
    }

    #[test]
    fn untrusted_lines_that_look_like_those_of_ghost_are_marked() {
        assert_eq!(quoted("a\nerror: x\n  Note: y\n"), "a\n│ error: x\n│   Note: y\n");
        assert_eq!(quoted("error\nError: the script's"), "error\nError: the script's");
        assert_eq!(quoted("an error: x"), "an error: x");
        assert_eq!(quoted_below("error: a\nerror: b"), "error: a\n│ error: b");
        assert_eq!(quoted(&escape("\u{200b}error: x\rerror: y")), "\\u{200b}error: x\\x0derror: y");
    }

    #[test]
    fn json_stays_json() {
        let shown = escape_json("\"a\u{7f}\u{9b}\u{202e}b\"");
        assert_eq!(shown, r#""a\u007f\u009b\u202eb""#);
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), "a\u{7f}\u{9b}\u{202e}b");
        let shown = escape_json("\"\u{e0041}\"");
        assert_eq!((&*shown, serde_json::from_str(&shown).unwrap()), (r#""\udb40\udc41""#, "\u{e0041}".to_owned()));
    }
}
