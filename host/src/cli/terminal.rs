//! What goes to standard output and standard error, and what must not go to a terminal.

use std::{
    borrow::Cow,
    fmt::Write as _,
    io::{self, IsTerminal, Write},
};

/// Prints a text and a line's end. A reader that has gone is no failure.
pub(crate) fn print(text: &str) {
    let mut out = io::stdout().lock();
    let _gone = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// The same on standard error.
pub(crate) fn print_error(text: &str) {
    let _gone = writeln!(io::stderr().lock(), "{text}");
}

/// What the script wrote to its console.
pub(crate) fn print_console(text: &str) {
    let shown = if io::stderr().is_terminal() { harmless(text) } else { text.into() };
    print_error(&shown);
}

/// A text without what makes a terminal do things: control characters and marks that reorder text stand as escapes.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        let _infallible = match u32::from(character) {
            _ if !is_harmful(character) => write!(shown, "{character}"),
            code @ ..0x100 => write!(shown, "\\x{code:02x}"),
            code => write!(shown, "\\u{code:04x}"),
        };
    }
    shown.into()
}

fn is_harmful(character: char) -> bool {
    let reorders = matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
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
}
