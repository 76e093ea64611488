//! How a document lies in the index.
//!
//! A word of a field is the term `path, 0, word` in `words`; every word is also in `all`. Values as a whole are columns,
//! one for each path, for ranges. Paths that have a value stand in `names`. Only names are stored: documents are
//! read from the database.

use std::borrow::Cow;

use sha2::{Digest, Sha256};
use tantivy::{
    Term,
    schema::{Field, INDEXED, IndexRecordOption, JsonObjectOptions, Schema, TextFieldIndexing, TextOptions},
};

use super::{
    flat::{FULL, PATH_END},
    tokens::{BARE, IN_PATH, NAMES},
};

/// Nobody can ask for a longer path, nor compare with a longer text: a query has 8 KiB.
pub(super) const LONGEST: usize = (8 << 10) + 4;
/// The longest path that stands before its words as it is: there may be a hundred thousand of them.
const PATH_BYTES: usize = 64;

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
        let listed = TextFieldIndexing::default().set_tokenizer(NAMES).set_fieldnorms(false);
        let listed = TextOptions::default().set_indexing_options(listed.set_index_option(IndexRecordOption::Basic));
        let id = schema.add_text_field(ID, exact.set_fast("raw").set_stored());
        let collection = schema.add_u64_field("collection", INDEXED);
        let words = schema.add_text_field("words", placed(IN_PATH));
        let all = schema.add_text_field("all", placed(BARE));
        let names = schema.add_text_field("names", listed);
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
}

/// Words with their places.
fn placed(tokenizer: &str) -> TextOptions {
    let placed = TextFieldIndexing::default().set_tokenizer(tokenizer);
    TextOptions::default().set_indexing_options(placed.set_index_option(IndexRecordOption::WithFreqsAndPositions))
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
    format!("{}{PATH_END}{word}", term_path(path))
}

/// A path as it stands before its words: a long one by its hash.
pub(super) fn term_path(path: &str) -> Cow<'_, str> {
    if path.len() <= PATH_BYTES {
        return path.into();
    }
    let hash = Sha256::digest(path.as_bytes());
    // No path begins so.
    hash[..16].iter().fold("\u{4}".to_owned(), |text, byte| text + &format!("{byte:02x}")).into()
}

/// A path without what separates it from other things in the index.
pub(super) fn clean(path: &str) -> String {
    path.replace(['\0', '\u{1}', '\u{2}', '\u{3}', '\u{4}'], "\u{fffd}")
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
pub(super) fn is_own(path: &str) -> bool {
    matches!(path, "_key" | "_collection")
}

/// Tantivy reads a backslash in the path of a column as an escape.
pub(super) fn column_path(path: &str) -> String {
    path.replace('\\', "\u{fffd}")
}
