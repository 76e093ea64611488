//! The range of the rows of documents whose keys have a prefix and come after a given key.

use std::ops::Bound;

use super::value;

/// Returns the range of the rows of a collection whose keys begin with `prefix` and are greater than `after` (smaller
/// if `descending`); `None` if no key can satisfy both.
pub(super) fn range(number: u64, prefix: &str, after: Option<&str>, descending: bool) -> Option<Rows> {
    let row = |key: &str| {
        let mut row = Vec::new();
        value::document_key(number, key.as_bytes(), &mut row);
        row
    };
    let first = row(prefix);
    let mut rows = Rows { start: Bound::Included(first.clone()), end: Bound::Excluded(next(first.clone())) };
    let Some(after) = after.map(row) else { return Some(rows) };
    let end = next(first.clone());
    if descending {
        if after <= first {
            return None;
        }
        rows.end = Bound::Excluded(after.min(end));
    } else {
        if after >= end {
            return None;
        }
        if after >= first {
            rows.start = Bound::Excluded(after);
        }
    }
    Some(rows)
}

/// A range of rows.
pub(super) struct Rows {
    start: Bound<Vec<u8>>,
    end: Bound<Vec<u8>>,
}

impl Rows {
    /// Returns the range in the form that a table takes.
    pub(super) fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (self.start.as_ref().map(Vec::as_slice), self.end.as_ref().map(Vec::as_slice))
    }
}

/// Returns the smallest row key that is greater than every key with this prefix. It exists, because UTF-8 has no byte
/// 255, and no collection has the number `u64::MAX`.
fn next(mut row: Vec<u8>) -> Vec<u8> {
    while row.pop_if(|last| *last == u8::MAX).is_some() {}
    if let Some(last) = row.last_mut() {
        *last += 1;
    }
    row
}

#[cfg(test)]
mod tests {
    use std::ops::RangeBounds;

    use super::*;

    fn holds(prefix: &str, after: Option<&str>, descending: bool, key: &str) -> bool {
        let mut row = Vec::new();
        value::document_key(255, key.as_bytes(), &mut row);
        range(255, prefix, after, descending)
            .is_some_and(|rows| RangeBounds::<[u8]>::contains(&rows.bounds(), row.as_slice()))
    }

    #[test]
    fn a_range_holds_what_begins_with_the_prefix_and_follows_the_key() {
        let keys = ["a", "a\u{10ffff}", "b", "é", "\u{10ffff}", "\u{10ffff}a", "\u{10ffff}\u{10ffff}", "ÿ", "\u{7f}x"];
        for prefix in ["", "a", "é", "\u{10ffff}", "\u{10ffff}\u{10ffff}", "c"] {
            for after in [None, Some("a"), Some("b"), Some("\u{10ffff}"), Some("\u{10ffff}b"), Some("zz")] {
                for (descending, key) in keys.iter().flat_map(|key| [(false, *key), (true, *key)]) {
                    let follows = after.is_none_or(|after| if descending { key < after } else { key > after });
                    let expected = key.starts_with(prefix) && follows;
                    assert_eq!(
                        holds(prefix, after, descending, key),
                        expected,
                        "{key:?} of {prefix:?} after {after:?} {descending}"
                    );
                }
            }
        }
    }
}
