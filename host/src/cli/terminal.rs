//! What goes to standard output and standard error, and what must not go to a terminal.

use std::{
    borrow::Cow,
    fmt::{self, Write as _},
    io::{self, IsTerminal, Write},
};

/// Prints a text and a line's end. A reader that has gone is no failure.
pub(crate) fn print(text: &str) -> io::Result<()> {
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

/// What the script wrote to its console.
pub(crate) fn print_console(text: &str) {
    let shown = if io::stderr().is_terminal() { harmless(text) } else { text.into() };
    print_error(&shown);
}

/// A text without what makes a terminal do things: control characters and marks that reorder text stand as escapes.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    escaped(text, |code, shown| match code {
        ..0x100 => write!(shown, "\\x{code:02x}"),
        _ => write!(shown, "\\u{code:04x}"),
    })
}

/// The same for JSON, which it stays.
pub(crate) fn harmless_json(json: &str) -> Cow<'_, str> {
    escaped(json, |code, shown| write!(shown, "\\u{code:04x}"))
}

fn escaped(text: &str, escape: impl Fn(u32, &mut String) -> fmt::Result) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_harmful(character) {
            let _infallible = escape(character.into(), &mut shown);
        } else {
            shown.push(character);
        }
    }
    shown.into()
}

fn is_harmful(character: char) -> bool {
    let reorders =
        matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    reorders || (character.is_control() && character != '\n' && character != '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(harmless("a\x1b[2J\u{9b}1m\x07\u{202e}b\r"), "a\\x1b[2J\\x9b1m\\x07\\u202eb\\x0d");
        assert_eq!(harmless("grüße\n\t日本"), "grüße\n\t日本");
    }

    #[test]
    fn json_stays_json() {
        let shown = harmless_json("\"a\u{7f}\u{9b}\u{202e}b\"");
        assert_eq!(shown, r#""a\u007f\u009b\u202eb""#);
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), "a\u{7f}\u{9b}\u{202e}b");
    }
}
