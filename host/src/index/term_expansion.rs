//! Patterns to the words of the index that they match.

use std::{collections::BTreeSet, sync::mpsc, thread, time::Duration};

use ghost_lucene::{LONGEST_WORD, Piece};
use tantivy::{
    Searcher, TantivyError, Term,
    query::{DfaWrapper, FuzzyTermQuery},
    schema::Field,
};
use tantivy_fst::{Automaton, Regex};

use super::stop::Stop;

/// How many words a pattern may stand for.
pub(super) const EXPANSIONS: usize = 1_024;
/// How long an automaton may be made until the clock is looked at.
const WAIT: Duration = Duration::from_millis(10);

/// Why a pattern can't be expanded.
pub(super) enum Unfit {
    TooMany,
    /// The regular expression is malformed.
    Regex(String),
    /// Its automaton is too large.
    TooLarge,
    Index(TantivyError),
    /// There was no time for it.
    Cut,
}

impl From<TantivyError> for Unfit {
    fn from(error: TantivyError) -> Self {
        Self::Index(error)
    }
}

/// An automaton behind fixed bytes: the path of a field.
///
/// One that matches little makes the way through the words of an index long: it looks at the clock on that way.
struct Behind<'p, A> {
    prefix: &'p [u8],
    automaton: A,
    stop: &'p Stop,
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
        if self.stop.step() {
            return false;
        }
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

/// What matches words within some edits. None for a word that is longer than any near it: its automaton would be large.
pub(super) fn automaton(word: &str, edits: u8) -> Result<Option<DfaWrapper>, TantivyError> {
    if word.chars().count() > LONGEST_WORD + usize::from(edits) {
        return Ok(None);
    }
    // Of the term, only the text counts.
    let word = Term::from_field_text(Field::from_field_id(0), word);
    FuzzyTermQuery::new(word, edits, true).automaton().map(Some)
}

/// Whether an automaton matches a whole word.
pub(super) fn accepts(automaton: &impl Automaton, word: &str) -> bool {
    let end = word.bytes().fold(automaton.start(), |state, byte| automaton.accept(&state, byte));
    automaton.is_match(&end)
}

/// Words of one field of the index, behind a prefix.
pub(super) struct Words<'s> {
    pub(super) searcher: &'s Searcher,
    pub(super) field: Field,
    pub(super) prefix: String,
    pub(super) stop: &'s Stop,
}

impl Words<'_> {
    pub(super) fn starting_with(&self, start: &str) -> Result<Vec<Term>, Unfit> {
        Ok(self.terms(self.matching(&format!("{}{start}", self.prefix), Anything, |_| true)?))
    }

    /// Compared word by word: an automaton for a few `?` after a `*` has thousands of states.
    pub(super) fn like(&self, pieces: &[Piece]) -> Result<Vec<Term>, Unfit> {
        let start: String = pieces.iter().map_while(literal).collect();
        let (prefix, rest) = (format!("{}{start}", self.prefix), &pieces[start.chars().count()..]);
        let found = self.matching(&prefix, Anything, |found| is_like(rest, &found[prefix.len()..]))?;
        Ok(self.terms(found))
    }

    pub(super) fn like_regex(&self, regex: &str) -> Result<Vec<Term>, Unfit> {
        regex_syntax::parse(regex).map_err(|error| Unfit::Regex(what_is_wrong(&error)))?;
        let regex = self.compiled(regex)?;
        Ok(self.terms(self.matching(&self.prefix, &regex, |_| true)?))
    }

    /// The automaton of an expression. To make one takes up to a second, and can't be stopped: so long a thread is left to
    /// itself when there is no time for it.
    fn compiled(&self, regex: &str) -> Result<Regex, Unfit> {
        let (sender, made) = mpsc::channel();
        let owned = regex.to_owned();
        let make = move || drop(sender.send(Regex::new(&owned)));
        thread::Builder::new().name("ghost-regex".into()).spawn(make).map_err(|error| Unfit::Index(error.into()))?;
        loop {
            match made.recv_timeout(WAIT) {
                Ok(regex) => return regex.map_err(|_| Unfit::TooLarge),
                Err(mpsc::RecvTimeoutError::Timeout) if self.stop.now() => return Err(Unfit::Cut),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(Unfit::TooLarge),
            }
        }
    }

    /// Words that edits lead to, each with how alike it is to this one: 1 is the same.
    pub(super) fn near(&self, word: &str, distance: u8) -> Result<Vec<(Term, f32)>, Unfit> {
        let length = word.chars().count();
        // None within more edits: none within fewer.
        let Some(widest) = automaton(word, distance)? else { return Ok(Vec::new()) };
        let mut narrower = Vec::new();
        for edits in 0..distance {
            narrower.extend(automaton(word, edits)?.map(|automaton| (edits, automaton)));
        }
        let alike = |found: &str| {
            let found = &found[self.prefix.len()..];
            let fewest = narrower.iter().find(|(_, automaton)| accepts(automaton, found)).map(|(edits, _)| *edits);
            let shorter = length.min(found.chars().count());
            (1.0 - f32::from(fewest.unwrap_or(distance)) / shorter.max(1) as f32).max(0.0)
        };
        let near = self.matching(&self.prefix, &widest, |_| true)?;
        Ok(near.iter().map(|found| (self.term(found), alike(found))).collect())
    }

    fn terms(&self, found: BTreeSet<String>) -> Vec<Term> {
        found.iter().map(|found| self.term(found)).collect()
    }

    fn term(&self, found: &str) -> Term {
        Term::from_field_text(self.field, found)
    }

    /// What is in the index, with the prefix.
    fn matching<A: Automaton>(
        &self,
        prefix: &str,
        automaton: A,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<BTreeSet<String>, Unfit>
    where
        A::State: Clone,
    {
        let behind = Behind { prefix: prefix.as_bytes(), automaton, stop: self.stop };
        let mut found = BTreeSet::new();
        for segment in self.searcher.segment_readers() {
            let words = segment.inverted_index(self.field)?;
            let mut stream = words.terms().search(&behind).into_stream().map_err(TantivyError::from)?;
            while stream.advance() {
                if self.stop.step() {
                    return Err(Unfit::Cut);
                }
                // What was put into the index was text; what is no text there is damage.
                let word = std::str::from_utf8(stream.key()).ok();
                found.extend(word.filter(|word| is_wanted(word)).map(str::to_owned));
                if found.len() > EXPANSIONS {
                    return Err(Unfit::TooMany);
                }
            }
        }
        if self.stop.is_cut() { Err(Unfit::Cut) } else { Ok(found) }
    }
}

/// Without the place, which is one in the rewritten expression.
fn what_is_wrong(error: &regex_syntax::Error) -> String {
    match error {
        regex_syntax::Error::Parse(error) => error.kind().to_string(),
        regex_syntax::Error::Translate(error) => error.kind().to_string(),
        other => other.to_string(),
    }
}

fn literal(piece: &Piece) -> Option<char> {
    if let Piece::Character(character) = piece { Some(*character) } else { None }
}

/// Whether a pattern matches a whole word. Goes back to the last `*` alone, which is enough: the time is in proportion to the two lengths multiplied.
pub(super) fn is_like(pieces: &[Piece], word: &str) -> bool {
    let (mut pieces, mut word) = (pieces, word);
    let mut star = None;
    loop {
        let mut characters = word.chars();
        let next = characters.next();
        match (pieces.split_first(), next) {
            (None, None) => return true,
            (Some((Piece::AnyMany, rest)), _) => (star, pieces) = (Some((rest, word)), rest),
            (Some((Piece::AnyOne, rest)), Some(_)) => (pieces, word) = (rest, characters.as_str()),
            (Some((Piece::Character(character), rest)), Some(next)) if *character == next => {
                (pieces, word) = (rest, characters.as_str());
            }
            _ => {
                let Some((rest, from)) = star else { return false };
                let mut characters = from.chars();
                if characters.next().is_none() {
                    return false;
                }
                (star, pieces, word) = (Some((rest, characters.as_str())), rest, characters.as_str());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(pattern: &str) -> Vec<Piece> {
        let piece = |character| match character {
            '*' => Piece::AnyMany,
            '?' => Piece::AnyOne,
            other => Piece::Character(other),
        };
        pattern.chars().map(piece).collect()
    }

    #[test]
    fn patterns_match_whole_words() {
        for (pattern, word) in [
            ("", ""),
            ("*", ""),
            ("a", "a"),
            ("?", "é"),
            ("*b", "aab"),
            ("a*b*c", "abbbc"),
            ("*a??", "abaaé"),
            ("*ab*", "aab"),
        ] {
            assert!(is_like(&pieces(pattern), word), "{pattern} {word}");
        }
        for (pattern, word) in [("", "a"), ("?", ""), ("a", "ab"), ("*b", "ba"), ("*a??", "abb?"), ("a*b*c", "acb")] {
            assert!(!is_like(&pieces(pattern), word), "{pattern} {word}");
        }
    }

    /// Every way to split the word.
    fn is_like_at_length(pieces: &[Piece], word: &[char]) -> bool {
        match pieces.split_first() {
            None => word.is_empty(),
            Some((Piece::AnyMany, rest)) => (0..=word.len()).any(|end| is_like_at_length(rest, &word[end..])),
            Some((piece, rest)) => word.split_first().is_some_and(|(first, word)| {
                literal(piece).is_none_or(|character| character == *first) && is_like_at_length(rest, word)
            }),
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn no_way_to_match_is_missed(pattern in "[ab*?]{0,8}", word in "[ab]{0,8}") {
            let pieces = pieces(&pattern);
            let characters: Vec<char> = word.chars().collect();
            proptest::prop_assert_eq!(is_like(&pieces, &word), is_like_at_length(&pieces, &characters));
        }
    }
}
