//! How a document lies in the index.
//!
//! A word of a field is the term `path, 0, word` in `words`; every word is also in `all`. Values as a whole are columns,
//! one for each path, for ranges. Paths that have a value stand in `names`. Only names are stored: documents are
//! read from the database.

use std::collections::HashSet;

use ghost_lucene::{lower, words};
use serde_json::{Number, Value};
use tantivy::{
    TantivyDocument, Term,
    schema::{
        Field, INDEXED, IndexRecordOption, JsonObjectOptions, OwnedValue, Schema, TextFieldIndexing, TextOptions,
    },
    tokenizer::{PreTokenizedString, Token},
};

/// Nobody can ask for a longer path, nor compare with a longer text: a query has 8 KiB.
const LONGEST: usize = (8 << 10) + 4;
/// A phrase does not reach from one value into the next.
const GAP: usize = 100;
/// Stands in `names` before a path that has a word, and alone when any has.
const FULL: char = '\u{1}';

/// The fields of the index.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    pub(super) schema: Schema,
    /// Collection, 0, key: a column too, so that ties come in the order of names; and stored, to be read fast.
    pub(super) id: Field,
    /// The number of the collection.
    pub(super) collection: Field,
    pub(super) words: Field,
    pub(super) all: Field,
    pub(super) names: Field,
    pub(super) values: Field,
    /// The same of the document's own names, which are found by their fields alone.
    pub(super) own: Field,
}

pub(super) const ID: &str = "id";
const VALUES: &str = "values";
const OWN: &str = "own";

impl Fields {
    pub(super) fn new() -> Self {
        let mut schema = Schema::builder();
        let exact = TextFieldIndexing::default().set_tokenizer("raw").set_fieldnorms(false);
        let exact = TextOptions::default().set_indexing_options(exact.set_index_option(IndexRecordOption::Basic));
        let placed = TextFieldIndexing::default()
            .set_tokenizer("raw")
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let placed = TextOptions::default().set_indexing_options(placed);
        let id = schema.add_text_field(ID, exact.clone().set_fast("raw").set_stored());
        let collection = schema.add_u64_field("collection", INDEXED);
        let words = schema.add_text_field("words", placed.clone());
        let all = schema.add_text_field("all", placed);
        let names = schema.add_text_field("names", exact);
        let columns = JsonObjectOptions::default().set_fast("raw").set_expand_dots_enabled();
        let values = schema.add_json_field(VALUES, columns.clone());
        let own = schema.add_json_field(OWN, columns);
        Self { schema: schema.build(), id, collection, words, all, names, values, own }
    }

    pub(super) fn id_term(&self, collection: &str, key: &str) -> Term {
        Term::from_field_text(self.id, &id(collection, key))
    }

    /// A word, in one field or in any.
    pub(super) fn word_term(&self, path: Option<&str>, word: &str) -> Term {
        match path {
            Some(path) => Term::from_field_text(self.words, &in_path(&clean(path), word)),
            None => Term::from_field_text(self.all, word),
        }
    }

    /// A path that has a value, or a word; the empty path stands for any.
    pub(super) fn name_term(&self, path: &str, full: bool) -> Term {
        let path = clean(path);
        Term::from_field_text(self.names, &if full { format!("{FULL}{path}") } else { path })
    }

    /// What the index holds of a document.
    pub(super) fn document(&self, collection: &str, number: u64, key: &str, json: &str) -> TantivyDocument {
        let mut document = TantivyDocument::new();
        document.add_text(self.id, id(collection, key));
        document.add_u64(self.collection, number);
        let mut flat = Flat::default();
        flat.own("_key", key);
        flat.own("_collection", collection);
        match parse(json) {
            Some(value) => flat.value("", &value),
            None => tracing::debug!("a document is nested too deep to be searched by more than its key"),
        }
        document.add_pre_tokenized_text(self.words, flat.words.finish());
        document.add_pre_tokenized_text(self.all, flat.all.finish());
        for name in flat.names {
            document.add_text(self.names, name);
        }
        document.add_field_value(self.values, &OwnedValue::Object(flat.values));
        document.add_field_value(self.own, &OwnedValue::Object(flat.own));
        document
    }
}

/// The name of a document in the index; in the order of collections, then keys.
pub(super) fn id(collection: &str, key: &str) -> String {
    format!("{collection}\0{key}")
}

/// The collection and the key of a document's name.
pub(super) fn names_of(id: &str) -> Option<(String, String)> {
    id.split_once('\0').map(|(collection, key)| (collection.to_owned(), key.to_owned()))
}

/// What a word of a path begins with.
pub(super) fn in_path(path: &str, word: &str) -> String {
    format!("{path}\0{word}")
}

/// A path without what separates it from other things in the index.
pub(super) fn clean(path: &str) -> String {
    path.replace(['\0', '\u{1}'], "\u{fffd}")
}

/// The column of a path, or what all columns of values begin with.
pub(super) fn column_name(path: Option<&str>) -> String {
    match path {
        Some(path) if is_own(path) => format!("{OWN}.{path}"),
        Some(path) => format!("{VALUES}.{}", column_path(path)),
        None => VALUES.into(),
    }
}

/// The names of a document, which are no values.
fn is_own(path: &str) -> bool {
    matches!(path, "_key" | "_collection")
}

/// Tantivy reads a backslash in the path of a column as an escape.
fn column_path(path: &str) -> String {
    path.replace('\\', "\u{fffd}")
}

/// A document as paths and values.
#[derive(Default)]
struct Flat {
    words: Words,
    all: Words,
    names: HashSet<String>,
    values: Vec<(String, OwnedValue)>,
    own: Vec<(String, OwnedValue)>,
}

impl Flat {
    /// A name of the document: only to be found by its field.
    fn own(&mut self, path: &str, text: &str) {
        let has_word = self.words.add(text, |word| in_path(path, word));
        self.own.push((path.to_owned(), OwnedValue::Str(lower(text))));
        self.named(path, has_word);
    }

    fn value(&mut self, path: &str, value: &Value) {
        match value {
            Value::Null => {}
            Value::Bool(value) => self.leaf(path, &value.to_string(), None),
            Value::Number(number) => self.leaf(path, &text_of(number), number.as_f64()),
            Value::String(text) => self.leaf(path, text, None),
            Value::Array(items) => items.iter().for_each(|item| self.value(path, item)),
            Value::Object(members) => {
                for (name, member) in members {
                    let name = clean(name);
                    if path.is_empty() {
                        self.value(&name, member)
                    } else {
                        self.value(&format!("{path}.{name}"), member)
                    }
                }
            }
        }
    }

    fn leaf(&mut self, path: &str, text: &str, number: Option<f64>) {
        let has_word = self.all.add(text, str::to_owned);
        if has_word {
            self.names.insert(FULL.into());
        }
        if path.len() > LONGEST || is_own(path) {
            return;
        }
        self.words.add(text, |word| in_path(path, word));
        let value = match number {
            Some(number) => OwnedValue::F64(number),
            None => OwnedValue::Str(start_of(&lower(text)).to_owned()),
        };
        self.values.push((column_path(path), value));
        self.named(path, has_word);
    }

    fn named(&mut self, path: &str, has_word: bool) {
        if has_word {
            self.names.insert(format!("{FULL}{path}"));
        }
        for (end, _) in path.match_indices('.') {
            self.names.insert(path[..end].to_owned());
        }
        self.names.insert(path.to_owned());
    }
}

fn start_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

/// Words with their places.
#[derive(Default)]
struct Words {
    tokens: Vec<Token>,
    next: usize,
}

impl Words {
    /// Whether there is a word in the text.
    fn add(&mut self, text: &str, term: impl Fn(&str) -> String) -> bool {
        let words = words(text);
        let has_word = !words.is_empty();
        for word in words {
            self.tokens.push(Token { position: self.next, text: term(&word.text), ..Token::default() });
            self.next += 1;
        }
        self.next += GAP;
        has_word
    }

    fn finish(self) -> PreTokenizedString {
        PreTokenizedString { text: String::new(), tokens: self.tokens }
    }
}

/// A number as JavaScript prints it.
fn text_of(number: &Number) -> String {
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

/// None for what is nested too deep.
fn parse(json: &str) -> Option<Value> {
    serde_json::from_str(json).or_else(|_| serde_json::from_str(&without_lone_surrogates(json))).ok()
}

/// JSON may name halves of surrogate pairs, which are no characters.
fn without_lone_surrogates(json: &str) -> String {
    let (mut text, mut rest) = (String::with_capacity(json.len()), json);
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        text.push_str(before);
        let unit = unit(escape);
        let length = match unit {
            Some(0xd800..=0xdbff) if matches!(escape.get(6..).and_then(self::unit), Some(0xdc00..=0xdfff)) => 12,
            Some(_) => 6,
            None => 2,
        };
        let (escape, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        let lone = length == 6 && matches!(unit, Some(0xd800..=0xdfff));
        text.push_str(if lone { "\\ufffd" } else { escape });
        rest = after;
    }
    text + rest
}

/// The number of an escape `\uXXXX` that a text begins with.
fn unit(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_surrogate_pairs_are_replaced_alone() {
        let cases = [
            (r#"["\ud800","x"]"#, r#"["\ufffd","x"]"#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\\ud800 \udc00""#, r#""\\ud800 \ufffd""#),
            (r#""\ud83d\ud83d\ude00 é""#, r#""\ufffd\ud83d\ude00 é""#),
        ];
        for (json, expected) in cases {
            assert_eq!(without_lone_surrogates(json), expected);
            assert!(parse(json).is_some(), "{json}");
        }
    }

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
}
