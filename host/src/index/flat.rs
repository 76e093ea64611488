//! A document as the index takes it in: its values in a row, each behind its path.
//!
//! It is made in one pass over the JSON, without a tree of it and without recursion, and looks at the clock on its way.

use std::{collections::HashMap, ops::Range};

use ghost_lucene::{Scan, lower_character};
use serde_json::Number;
use tantivy::schema::{
    Document, Field,
    document::{ReferenceValue, ReferenceValueLeaf, Value},
};

use super::{
    scanner::{Event, Scanner},
    schema::{Fields, LONGEST, clean, column_path, id, is_own, term_path},
    stop::Stop,
};

/// How many values of a document are indexed: what the document is beyond is not searched.
pub(super) const VALUES: usize = 500_000;
/// How many paths of a document are fields. The values of others are found without a field only.
pub(super) const PATHS: usize = 10_000;
/// How many bytes the names of all these paths may have, with those of the paths above them.
const PATH_BYTES: usize = 4 << 20;

/// Stands before the path of a value that is not that of the value before.
pub(super) const NEW_PATH: char = '\u{1}';
/// Stands before a value with the path of the one before.
pub(super) const SAME_PATH: char = '\u{2}';
/// Stands before a value that is found without a field only.
pub(super) const ALL_ONLY: char = '\u{3}';
pub(super) const MARKS: [char; 3] = [NEW_PATH, SAME_PATH, ALL_ONLY];
/// Stands between a path and a value.
pub(super) const PATH_END: char = '\0';
/// Stands behind each name of a path.
pub(super) const NAMES_END: char = '\0';
/// Stands in the names before a path that has a word, and alone when any has.
pub(super) const FULL: char = '\u{1}';

/// What the index holds of a document.
#[derive(Debug)]
pub(super) struct Flat {
    fields: [Field; 7],
    id: String,
    number: u64,
    /// The values, each behind its path.
    text: String,
    /// Where those begin that are found without a field.
    all: usize,
    names: String,
    paths: Vec<String>,
    /// The lower-cased starts of texts.
    lowered: String,
    values: Vec<Column>,
    own: Vec<Column>,
}

/// A value as a whole, for ranges.
#[derive(Clone, Debug)]
pub(super) struct Column {
    path: u32,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Number(f64),
    Text(Range<u32>),
}

impl Flat {
    /// How many bytes it keeps.
    pub(super) fn bytes(&self) -> usize {
        let columns = (self.values.capacity() + self.own.capacity()) * size_of::<Column>();
        self.text.capacity() + self.names.capacity() + self.lowered.capacity() + columns
    }

    /// What the index holds of a document; none when it was told to stop on the way.
    pub(super) fn of(
        fields: &Fields,
        collection: &str,
        number: u64,
        key: &str,
        json: &str,
        stop: &Stop,
    ) -> Option<Self> {
        let Fields { id: name, collection: of, words, all, names, values, own, .. } = *fields;
        let flat = Self {
            fields: [name, of, words, all, names, values, own],
            id: id(collection, key),
            number,
            text: String::with_capacity(json.len() / 2),
            all: 0,
            names: String::new(),
            paths: Vec::new(),
            lowered: String::new(),
            values: Vec::new(),
            own: Vec::new(),
        };
        let mut maker = Maker { flat, known: HashMap::new(), last: None, has_word: false, left: VALUES, stop };
        maker.own("_key", key);
        maker.own("_collection", collection);
        maker.flat.all = maker.flat.text.len();
        maker.last = None;
        maker.document(json);
        (!stop.is_cut()).then_some(maker.flat)
    }

    fn lowered(&mut self, text: &str) -> Content {
        let start = self.lowered.len();
        for character in text.chars().map(lower_character) {
            if self.lowered.len() - start + character.len_utf8() > LONGEST {
                break;
            }
            self.lowered.push(character);
        }
        // A document is no larger than `DataLimits::MAX`, 64 MiB.
        Content::Text(start as u32..self.lowered.len() as u32)
    }
}

struct Maker<'m> {
    flat: Flat,
    /// Where each path stands in the list, and whether it is known that it has a word.
    known: HashMap<String, (u32, bool)>,
    /// The path of the last value that has one.
    last: Option<u32>,
    has_word: bool,
    left: usize,
    stop: &'m Stop,
}

impl Maker<'_> {
    /// A name of the document: only to be found by its field.
    fn own(&mut self, path: &str, text: &str) {
        let has_word = self.is_word_in(text);
        let Some(number) = self.path(path, has_word) else { return };
        self.mark(number, path);
        push_clean(&mut self.flat.text, text);
        let content = self.flat.lowered(text);
        self.flat.own.push(Column { path: number, content });
    }

    fn document(&mut self, json: &str) {
        let mut scanner = Scanner::of(json);
        while let Some(event) = scanner.next() {
            if self.left == 0 || self.stop.step() {
                return;
            }
            match event {
                Event::Text(text) => self.leaf(scanner.path(), &text, None),
                Event::Number(number) => self.leaf(scanner.path(), &text_of(&number), number.as_f64()),
                Event::Boolean(value) => self.leaf(scanner.path(), if value { "true" } else { "false" }, None),
            }
        }
    }

    fn leaf(&mut self, path: &str, text: &str, number: Option<f64>) {
        self.left -= 1;
        let has_word = self.is_word_in(text);
        if has_word && !self.has_word {
            self.has_word = true;
            self.flat.names.extend([FULL, NAMES_END]);
        }
        let known = if path.len() > LONGEST || is_own(path) { None } else { self.path(path, has_word) };
        let Some(known) = known else {
            self.flat.text.push(ALL_ONLY);
            return push_clean(&mut self.flat.text, text);
        };
        self.mark(known, path);
        push_clean(&mut self.flat.text, text);
        let content = match number {
            Some(number) => Content::Number(number),
            None => self.flat.lowered(text),
        };
        self.flat.values.push(Column { path: known, content });
    }

    /// Begins a value with a path.
    fn mark(&mut self, number: u32, path: &str) {
        if self.last == Some(number) {
            return self.flat.text.push(SAME_PATH);
        }
        self.last = Some(number);
        self.flat.text.push(NEW_PATH);
        self.flat.text.push_str(&term_path(path));
        self.flat.text.push(PATH_END);
    }

    /// The number of a path, which is new or known; none when there are too many.
    fn path(&mut self, path: &str, has_word: bool) -> Option<u32> {
        if let Some((number, is_full)) = self.known.get_mut(path) {
            let number = *number;
            if has_word && !*is_full {
                *is_full = true;
                self.name(Some(FULL), path);
            }
            return Some(number);
        }
        if self.known.len() == PATHS || self.flat.names.len() + path.len() > PATH_BYTES {
            return None;
        }
        let number = self.known.len() as u32;
        self.known.insert(path.to_owned(), (number, has_word));
        self.flat.paths.push(column_path(path));
        if has_word {
            self.name(Some(FULL), path);
        }
        // What is above it was named with the first path below that.
        for (end, _) in path.match_indices('.') {
            if self.flat.names.len() < PATH_BYTES && !self.stop.step() {
                self.name(None, &path[..end]);
            }
        }
        self.name(None, path);
        Some(number)
    }

    fn name(&mut self, mark: Option<char>, path: &str) {
        self.flat.names.extend(mark);
        self.flat.names.push_str(path);
        self.flat.names.push(NAMES_END);
    }

    fn is_word_in(&self, text: &str) -> bool {
        Scan::of(text).take_while(|_| !self.stop.step()).any(|part| part.is_some())
    }
}

/// What stands between values has no other meaning in them.
fn push_clean(to: &mut String, text: &str) {
    if text.contains(['\0', '\u{1}', '\u{2}', '\u{3}']) {
        to.push_str(&clean(text));
    } else {
        to.push_str(text);
    }
}

/// A number as JavaScript prints it.
pub(super) fn text_of(number: &Number) -> String {
    let Some(value) = number.as_f64() else { return number.to_string() };
    if value == 0.0 || (1e-6..1e21).contains(&value.abs()) {
        // There is no sign before zero.
        return format!("{}", value + 0.0);
    }
    match format!("{value:e}") {
        large if value.abs() > 1.0 => large.replace('e', "e+"),
        small => small,
    }
}

impl Document for Flat {
    type Value<'a> = Part<'a>;
    type FieldsValuesIter<'a> = std::array::IntoIter<(Field, Part<'a>), 7>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        let [id, of, words, all, names, values, own] = self.fields;
        [
            (id, Part::Text(&self.id)),
            (of, Part::Whole(self.number)),
            (words, Part::Text(&self.text)),
            (all, Part::Text(&self.text[self.all..])),
            (names, Part::Text(&self.names)),
            (values, Part::Columns(self, &self.values)),
            (own, Part::Columns(self, &self.own)),
        ]
        .into_iter()
    }
}

/// A part of a document.
#[derive(Clone, Debug)]
pub(super) enum Part<'f> {
    Text(&'f str),
    Whole(u64),
    Number(f64),
    Columns(&'f Flat, &'f [Column]),
}

impl<'f> Value<'f> for Part<'f> {
    type ArrayIter = std::iter::Empty<Self>;
    type ObjectIter = Columns<'f>;

    fn as_value(&self) -> ReferenceValue<'f, Self> {
        match self {
            Self::Text(text) => ReferenceValue::Leaf(ReferenceValueLeaf::Str(text)),
            Self::Whole(number) => ReferenceValue::Leaf(ReferenceValueLeaf::U64(*number)),
            Self::Number(number) => ReferenceValue::Leaf(ReferenceValueLeaf::F64(*number)),
            Self::Columns(flat, columns) => ReferenceValue::Object(Columns { flat, columns: columns.iter() }),
        }
    }
}

/// The paths and values of a document.
#[derive(Clone, Debug)]
pub(super) struct Columns<'f> {
    flat: &'f Flat,
    columns: std::slice::Iter<'f, Column>,
}

impl<'f> Iterator for Columns<'f> {
    type Item = (&'f str, Part<'f>);

    fn next(&mut self) -> Option<Self::Item> {
        let Column { path, content } = self.columns.next()?;
        let value = match content {
            Content::Number(number) => Part::Number(*number),
            Content::Text(text) => Part::Text(&self.flat.lowered[text.start as usize..text.end as usize]),
        };
        Some((&self.flat.paths[*path as usize], value))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use super::*;
    use crate::budget::Budget;

    #[test]
    fn numbers_are_words_as_javascript_prints_them() {
        for (json, expected) in
            [("5", "5"), ("5.0", "5"), ("-1.5", "-1.5"), ("1e3", "1000"), ("0.1", "0.1"), ("-0.0", "0")]
                .into_iter()
                .chain([("1e21", "1e+21"), ("-1.5e22", "-1.5e+22"), ("1e20", "100000000000000000000")])
                .chain([("1e-6", "0.000001"), ("1.5e-7", "1.5e-7")])
        {
            assert_eq!(text_of(&serde_json::from_str(json).unwrap()), expected);
        }
    }

    #[test]
    fn a_document_is_bounded_and_stops_when_it_is_told_to() {
        let fields = Fields::new();
        let values = format!("[{}1]", "1,".repeat(VALUES + 10));
        let flat = Flat::of(&fields, "c", 1, "k", &values, &Stop::never()).unwrap();
        assert_eq!(flat.values.len(), VALUES);
        let paths: Vec<_> = (0..PATHS + 10).map(|number| format!("\"p{number}\":1")).collect();
        let flat = Flat::of(&fields, "c", 1, "k", &format!("{{{}}}", paths.join(",")), &Stop::never()).unwrap();
        assert_eq!(flat.paths.len(), PATHS, "with the two names of the document");
        assert_eq!(flat.text.matches(ALL_ONLY).count(), 12);
        let dots = format!("{{\"{}\":1}}", ".a".repeat(4_000));
        let flat = Flat::of(&fields, "c", 1, "k", &dots, &Stop::never()).unwrap();
        assert!(flat.bytes() < 9 << 20, "{}", flat.bytes());
        let told = Stop::when(|| true, Budget::unlimited());
        assert!(Flat::of(&fields, "c", 1, "k", &values, &told).is_none());
        let looks = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&looks);
        let soon = Stop::when(move || looks.fetch_add(1, Ordering::Relaxed) == 2, Budget::unlimited());
        assert!(Flat::of(&fields, "c", 1, "k", &values, &soon).is_none());
        assert_eq!(seen.load(Ordering::Relaxed), 3, "it went on");
    }
}
