//! The error of a query.

use std::fmt;

use unicode_width::UnicodeWidthChar;

/// The number of columns of the query to show on each side of the caret.
const WINDOW: usize = 36;

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The query is malformed.
    Syntax,
    /// The query exceeds one of the [`Limits`](crate::Limits).
    Limit,
}

/// The error of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of the error.
    pub code: Code,
    /// The position, in UTF-16 units from 0.
    pub position: usize,
    /// States what was found and what is allowed, without the query.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    pub(crate) fn syntax(position: usize, message: impl Into<String>) -> Self {
        Self { code: Code::Syntax, position, message: message.into() }
    }

    pub(crate) fn limit(position: usize, message: impl Into<String>) -> Self {
        Self { code: Code::Limit, position, message: message.into() }
    }

    /// Returns the message, and the query with a caret under the position. A long query is cut around it.
    pub fn with_caret(&self, query: &str) -> String {
        let place = byte_of(query, self.position);
        let (before, after) = query.split_at(place);
        let (left, cut_left) = window(before.chars().rev());
        let (right, cut_right) = window(after.chars());
        let left: String = left.chars().rev().collect();
        let start = if cut_left { "…" } else { "" };
        let end = if cut_right { "…" } else { "" };
        let indent = " ".repeat(columns(start) + columns(&left));
        format!("{self}\n  {start}{left}{right}{end}\n  {indent}^")
    }
}

/// Converts a position in UTF-16 units to a byte offset. Inside a character, returns its start; after the end, the end.
fn byte_of(query: &str, position: usize) -> usize {
    let mut units = 0;
    for (byte, character) in query.char_indices() {
        units += character.len_utf16();
        if units > position {
            return byte;
        }
    }
    query.len()
}

/// Returns the characters that fit into the window, and whether more follow.
fn window(characters: impl Iterator<Item = char>) -> (String, bool) {
    let mut shown = String::new();
    let mut width = 0;
    for character in characters.map(safe) {
        width += character.width().unwrap_or(0);
        // Combining marks take no column, so their number is limited.
        if width > WINDOW || shown.len() > 8 * WINDOW {
            return (shown, true);
        }
        shown.push(character);
    }
    (shown, false)
}

/// Replaces control characters and marks that reorder text by visible characters of one column.
fn safe(character: char) -> char {
    match character {
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + character as u32).unwrap_or('�'),
        '\u{7f}' => '␡',
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => '�',
        '\u{2060}'..='\u{206f}' | '\u{feff}' => '�',
        _ => character,
    }
}

// Counts each character like `window`, so that both agree on joined emoji.
fn columns(text: &str) -> usize {
    text.chars().map(|character| character.width().unwrap_or(0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(query: &str, position: usize) -> String {
        Error::syntax(position, "wrong").with_caret(query)
    }

    #[test]
    fn the_caret_stands_under_the_place() {
        assert_eq!(shown("a:", 2), "wrong\n  a:\n    ^");
        assert_eq!(shown("日本 )", 3), "wrong\n  日本 )\n       ^");
        assert_eq!(shown("😀)", 2), "wrong\n  😀)\n    ^");
    }

    #[test]
    fn controls_and_turns_of_direction_are_shown_safely() {
        assert_eq!(shown("\u{1b}[2J\n)", 5), "wrong\n  ␛[2J␊)\n       ^");
        assert_eq!(shown("\u{202e})", 1), "wrong\n  �)\n   ^");
    }

    #[test]
    fn a_long_query_is_cut_to_a_window() {
        let query = format!("{}){}", "a".repeat(5_000), "b".repeat(5_000));
        let expected = format!("wrong\n  …{}){}…\n  {}^", "a".repeat(36), "b".repeat(35), " ".repeat(37));
        assert_eq!(shown(&query, 5_000), expected);
    }
}
