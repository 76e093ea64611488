//! Patterns to the words of the index that they match.

use std::collections::BTreeSet;

use ghost_lucene::Piece;
use tantivy::{Searcher, TantivyError, Term, query::FuzzyTermQuery, schema::Field};
use tantivy_fst::{Automaton, Regex};

/// How many words a pattern may stand for.
pub(super) const EXPANSIONS: usize = 1_024;

/// Why a pattern can't be expanded.
pub(super) enum Unfit {
    TooMany,
    Regex,
    Index(TantivyError),
}

impl From<TantivyError> for Unfit {
    fn from(error: TantivyError) -> Self {
        Self::Index(error)
    }
}

/// An automaton behind fixed bytes: the path of a field.
struct Behind<'p, A> {
    prefix: &'p [u8],
    automaton: A,
}

/// Where [`Behind`] is.
#[derive(Clone)]
enum Place<S> {
    Prefix(usize),
    Word(S),
    Nowhere,
}

impl<A: Automaton> Automaton for Behind<'_, A> {
    type State = Place<A::State>;

    fn start(&self) -> Self::State {
        if self.prefix.is_empty() { Place::Word(self.automaton.start()) } else { Place::Prefix(0) }
    }

    fn is_match(&self, state: &Self::State) -> bool {
        matches!(state, Place::Word(state) if self.automaton.is_match(state))
    }

    fn can_match(&self, state: &Self::State) -> bool {
        match state {
            Place::Prefix(_) => true,
            Place::Word(state) => self.automaton.can_match(state),
            Place::Nowhere => false,
        }
    }

    fn accept(&self, state: &Self::State, byte: u8) -> Self::State {
        match state {
            Place::Prefix(at) if self.prefix[*at] != byte => Place::Nowhere,
            Place::Prefix(at) if at + 1 == self.prefix.len() => Place::Word(self.automaton.start()),
            Place::Prefix(at) => Place::Prefix(at + 1),
            Place::Word(state) => Place::Word(self.automaton.accept(state, byte)),
            Place::Nowhere => Place::Nowhere,
        }
    }
}

/// Any bytes.
struct Anything;

impl Automaton for Anything {
    type State = ();

    fn start(&self) {}

    fn is_match(&self, (): &()) -> bool {
        true
    }

    fn accept(&self, (): &(), _: u8) {}
}

/// A pattern as a regular expression.
pub(super) fn regex_of(pieces: &[Piece]) -> String {
    let regex = pieces.iter().map(|piece| match piece {
        Piece::Character(character) if character.is_ascii_punctuation() => format!("\\{character}"),
        Piece::Character(character) => character.to_string(),
        Piece::AnyOne => ".".into(),
        Piece::AnyMany => ".*".into(),
    });
    regex.collect()
}

/// Words of one field of the index, behind a prefix.
pub(super) struct Words<'s> {
    pub(super) searcher: &'s Searcher,
    pub(super) field: Field,
    pub(super) prefix: String,
}

impl Words<'_> {
    pub(super) fn starting_with(&self, start: &str) -> Result<Vec<Term>, Unfit> {
        self.matching(&format!("{}{start}", self.prefix), Anything)
    }

    pub(super) fn like(&self, pieces: &[Piece]) -> Result<Vec<Term>, Unfit> {
        self.like_regex(&regex_of(pieces))
    }

    pub(super) fn like_regex(&self, regex: &str) -> Result<Vec<Term>, Unfit> {
        let regex = Regex::new(regex).map_err(|_| Unfit::Regex)?;
        self.matching(&self.prefix, &regex)
    }

    pub(super) fn near(&self, word: &str, distance: u8) -> Result<Vec<Term>, Unfit> {
        let automaton = FuzzyTermQuery::new(Term::from_field_text(self.field, word), distance, true).automaton()?;
        self.matching(&self.prefix, &automaton)
    }

    fn matching<A: Automaton>(&self, prefix: &str, automaton: A) -> Result<Vec<Term>, Unfit>
    where
        A::State: Clone,
    {
        let behind = Behind { prefix: prefix.as_bytes(), automaton };
        let mut found = BTreeSet::new();
        for segment in self.searcher.segment_readers() {
            let words = segment.inverted_index(self.field)?;
            let mut stream = words.terms().search(&behind).into_stream().map_err(TantivyError::from)?;
            while stream.advance() {
                found.insert(stream.key().to_vec());
                if found.len() > EXPANSIONS {
                    return Err(Unfit::TooMany);
                }
            }
        }
        let term = |bytes: Vec<u8>| String::from_utf8(bytes).ok().map(|text| Term::from_field_text(self.field, &text));
        Ok(found.into_iter().filter_map(term).collect())
    }
}
