//! The words of a document for Tantivy, one by one: a document of millions of words takes no memory for them but the
//! index's own.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
};

use ghost_lucene::{Scan, lower_character};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer, TokenizerManager};

use super::{
    flat::{ALL_ONLY, MARKS, NAMES_END, PATH_END, SAME_PATH},
    stop::{Current, Stop},
};

/// Words behind the paths of their values.
pub(super) const IN_PATH: &str = "ghost-in-path";
/// Words alone.
pub(super) const BARE: &str = "ghost-bare";
/// Names of paths.
pub(super) const NAMES: &str = "ghost-names";

/// How many words of a document are indexed.
pub(super) const WORDS: usize = 2_000_000;
/// How many different ones.
pub(super) const DIFFERENT: usize = 100_000;
/// A document of fewer bytes does not have as many different words.
const SMALL: usize = 2 * DIFFERENT;
/// A phrase does not reach from one value into the next.
const GAP: usize = 100;

/// Lets an index split its fields.
pub(super) fn register(tokenizers: &TokenizerManager, stop: &Current) {
    tokenizers.register(IN_PATH, Leaves { has_path: true, stop: stop.clone() });
    tokenizers.register(BARE, Leaves { has_path: false, stop: stop.clone() });
    tokenizers.register(NAMES, Names);
}

/// Splits the values of a document, as [`Flat`](super::flat::Flat) puts them.
#[derive(Clone)]
struct Leaves {
    has_path: bool,
    stop: Current,
}

impl Tokenizer for Leaves {
    type TokenStream<'a> = LeafStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> LeafStream<'a> {
        LeafStream {
            has_path: self.has_path,
            rest: text,
            path: "",
            text: "",
            scan: None,
            words: 0,
            different: (text.len() > SMALL).then(Different::default),
            next: 0,
            token: Token::default(),
            stop: self.stop.get(),
        }
    }
}

struct LeafStream<'t> {
    has_path: bool,
    /// The values to come.
    rest: &'t str,
    path: &'t str,
    /// The value at hand.
    text: &'t str,
    scan: Option<Scan<'t>>,
    words: usize,
    different: Option<Different>,
    /// The position of the next word.
    next: usize,
    token: Token,
    stop: Stop,
}

impl<'t> LeafStream<'t> {
    /// Goes on to the next value; false at the end.
    fn next_leaf(&mut self) -> bool {
        if self.scan.take().is_some() {
            self.next += GAP;
        }
        let Some(mark) = self.rest.chars().next() else { return false };
        let leaf = &self.rest[mark.len_utf8()..];
        let (leaf, rest) = leaf.split_at(leaf.find(MARKS).unwrap_or(leaf.len()));
        self.rest = rest;
        self.text = leaf;
        if mark != SAME_PATH && mark != ALL_ONLY {
            (self.path, self.text) = leaf.split_once(PATH_END).unwrap_or(("", leaf));
        }
        let is_left_out = self.has_path && mark == ALL_ONLY;
        self.scan = Some(Scan::of(if is_left_out { "" } else { self.text }));
        true
    }

    /// Takes a word, unless the document has too many different ones.
    fn take(&mut self, word: Range<usize>) -> bool {
        self.words += 1;
        let text = &mut self.token.text;
        text.clear();
        if self.has_path {
            text.push_str(self.path);
            text.push(PATH_END);
        }
        text.extend(self.text[word.clone()].chars().map(lower_character));
        self.token.position = self.next;
        self.next += 1;
        // Counted behind its path in either field, so that both have the same words of a document.
        self.different.as_mut().is_none_or(|different| different.has_room_for(self.path, &self.text[word]))
    }
}

impl TokenStream for LeafStream<'_> {
    fn advance(&mut self) -> bool {
        loop {
            if self.words == WORDS || self.stop.step() {
                return false;
            }
            match self.scan.as_mut().and_then(Iterator::next) {
                Some(Some(word)) if self.take(word.clone()) => return true,
                Some(_) => {}
                None if self.next_leaf() => {}
                None => return false,
            }
        }
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

/// Counts different words, in little memory: now and then it takes one for another that it has seen.
struct Different {
    seen: Vec<u64>,
    left: usize,
}

impl Default for Different {
    fn default() -> Self {
        Self { seen: vec![0; Self::WORDS], left: DIFFERENT }
    }
}

impl Different {
    /// Bits for 40 times as many words as there may be.
    const WORDS: usize = 1 << 16;

    fn has_room_for(&mut self, path: &str, word: &str) -> bool {
        let mut hasher = DefaultHasher::new();
        path.hash(&mut hasher);
        word.chars().for_each(|character| lower_character(character).hash(&mut hasher));
        let hash = hasher.finish();
        let (at, bit) = ((hash >> 6) as usize % Self::WORDS, 1 << (hash & 63));
        if self.seen[at] & bit != 0 {
            return true;
        }
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.seen[at] |= bit;
        true
    }
}

/// Splits the names of a document's paths.
#[derive(Clone)]
struct Names;

impl Tokenizer for Names {
    type TokenStream<'a> = NameStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> NameStream<'a> {
        NameStream { rest: text, token: Token::default() }
    }
}

struct NameStream<'t> {
    rest: &'t str,
    token: Token,
}

impl TokenStream for NameStream<'_> {
    fn advance(&mut self) -> bool {
        let Some((name, rest)) = self.rest.split_once(NAMES_END) else { return false };
        self.rest = rest;
        self.token.text.clear();
        self.token.text.push_str(name);
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
