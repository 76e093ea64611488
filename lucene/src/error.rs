//! What is wrong with a query, and where.

use unicode_width::UnicodeWidthChar;

/// Columns of the query that are shown on either side of the caret.
const WINDOW: usize = 36;

/// Why a query was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// It is malformed.
    Syntax,
    /// It is beyond one of the [`Limits`](crate::Limits).
    Limit,
}

/// A query that was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Why.
    pub code: Code,
    /// Where, 0-based in UTF-16 units.
    pub position: usize,
    /// What was found and what is allowed, without the query.
    pub message: String,
}

impl Error {
    pub(crate) fn syntax(position: usize, message: impl Into<String>) -> Self {
        Self { code: Code::Syntax, position, message: message.into() }
    }

    pub(crate) fn limit(position: usize, message: impl Into<String>) -> Self {
        Self { code: Code::Limit, position, message: message.into() }
    }

    /// The message, then the query with a caret under the place. A long query is cut to a window around it.
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

/// The byte at a position in UTF-16 units; inside a character its start, past the end the end.
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

/// Characters up to the window's width, and whether some are left.
fn window(characters: impl Iterator<Item = char>) -> (String, bool) {
    let mut shown = String::new();
    let mut width = 0;
    for character in characters.map(safe) {
        width += character.width().unwrap_or(0);
        // Combining marks take no column: they are bounded by number.
        if width > WINDOW || shown.len() > 8 * WINDOW {
            return (shown, true);
        }
        shown.push(character);
    }
    (shown, false)
}

/// Controls, and what turns the direction of a line, as a character that shows itself and takes one column.
fn safe(character: char) -> char {
    match character {
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + character as u32).unwrap_or('�'),
        '\u{7f}' => '␡',
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => '�',
        '\u{2060}'..='\u{206f}' | '\u{feff}' => '�',
        _ => character,
    }
}

// Character by character, as `window` counts, so that both agree on joined emoji.
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
