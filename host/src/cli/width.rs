//! Cuts text to a width in terminal columns.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Returns the end of the longest prefix of at most `columns` columns, in bytes.
pub(super) fn start_within(text: &str, columns: usize) -> usize {
    let mut left = columns;
    let fits = |(_, character): &(usize, char)| take(&mut left, *character);
    text.char_indices().take_while(fits).last().map_or(0, |(at, character)| at + character.len_utf8())
}

/// Returns the start of the longest suffix of at most `columns` columns, in bytes.
pub(super) fn end_within(text: &str, columns: usize) -> usize {
    let mut left = columns;
    let fits = |(_, character): &(usize, char)| take(&mut left, *character);
    text.char_indices().rev().take_while(fits).last().map_or(text.len(), |(at, _)| at)
}

/// Cuts the end of a text to fit into `columns` columns; an ellipsis marks the cut.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    format!("{}…", text[..start_within(text, columns.saturating_sub(1))].trim_end())
}

/// Cuts the start of a text to fit into `columns` columns; an ellipsis marks the cut.
pub(super) fn cut_start(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    format!("…{}", &text[end_within(text, columns.saturating_sub(1))..])
}

/// Subtracts the columns of a character from the remaining ones; returns whether it fits.
fn take(left: &mut usize, character: char) -> bool {
    let rest = left.checked_sub(character.width().unwrap_or(1));
    *left = rest.unwrap_or_default();
    rest.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_are_not_cut_in_half() {
        assert_eq!([cut("日本語", 6), cut("日本語", 5), cut("日本語", 4)], ["日本語", "日本…", "日…"]);
        assert_eq!(
            [cut_start("日本語", 6), cut_start("日本語", 5), cut_start("日本語", 4)],
            ["日本語", "…本語", "…語"]
        );
        assert_eq!([cut("ab cd", 4), cut("abc", 1), cut("", 0)], ["ab…", "…", ""]);
    }

    #[test]
    fn parts_are_returned_as_byte_offsets() {
        assert_eq!([start_within("aé日", 2), start_within("aé日", 3), start_within("aé日", 4)], [3, 3, 6]);
        assert_eq!([end_within("aé日", 1), end_within("aé日", 2), end_within("aé日", 3)], [6, 3, 1]);
    }
}
