//! Words, values and fields of the documents, for the generator of queries.

use std::collections::BTreeSet;

use ghost_lucene::words;
use serde_json::Value;

use super::documents::{Document, text, values};

/// Patterns that stand for more words are refused by ghost.
const EXPANSIONS: usize = 1_000;

/// The document whose words Elasticsearch does not know.
const NEW_LETTERS: &str = "new-letters";

/// A value of a document.
pub(super) struct Fact {
    pub(super) field: String,
    pub(super) text: String,
    /// In order, lower-cased.
    pub(super) words: Vec<String>,
    pub(super) number: Option<f64>,
}

/// The documents, value by value.
pub(super) struct Vocabulary {
    pub(super) documents: Vec<Vec<Fact>>,
    words: BTreeSet<String>,
}

impl Vocabulary {
    pub(super) fn of(documents: &[Document]) -> Self {
        let known = documents.iter().filter(|document| document["_key"] != NEW_LETTERS);
        let documents: Vec<Vec<Fact>> = known.map(facts).collect();
        let words = documents.iter().flatten().flat_map(|fact| fact.words.iter().cloned()).collect();
        Self { documents, words }
    }

    /// Whether a pattern of `*` and `?` stands for few enough words.
    pub(super) fn is_narrow(&self, pattern: &str) -> bool {
        let pattern: Vec<char> = pattern.chars().collect();
        let is_like = |word: &&String| is_like(&pattern, &word.chars().collect::<Vec<_>>());
        self.words.iter().filter(is_like).count() <= EXPANSIONS
    }
}

fn facts(document: &Document) -> Vec<Fact> {
    let fields = document.iter().flat_map(|(field, value)| values(value).into_iter().map(move |value| (field, value)));
    fields.map(|(field, value)| fact(field, value)).collect()
}

fn fact(field: &str, value: &Value) -> Fact {
    let text = text(value);
    let words = words(&text).into_iter().map(|word| word.text).collect();
    Fact { field: field.into(), text, words, number: value.as_f64() }
}

fn is_like(pattern: &[char], word: &[char]) -> bool {
    match (pattern, word) {
        ([], []) => true,
        (['*', rest @ ..], _) => is_like(rest, word) || !word.is_empty() && is_like(pattern, &word[1..]),
        (['?', rest @ ..], [_, word @ ..]) => is_like(rest, word),
        ([first, rest @ ..], [character, word @ ..]) => first == character && is_like(rest, word),
        _ => false,
    }
}
