//! The plainest way to answer a query: look at every word of every document. No index, no library.
//!
//! A third opinion: where it agrees with Elasticsearch and `g.search` does not, the parser is not at fault.

use std::collections::BTreeMap;

use ghost_lucene::{Bound, Limits, Match, Matching, Occur, Piece, Query, analyse, lower, parse, words};
use serde_json::Value;

use super::{
    answers::Found,
    documents::{Document, text, values},
};

/// As many words are left out between two values.
const GAP: usize = 100;

/// What is compared with in one field.
#[derive(Default)]
struct Field {
    words: Vec<(usize, String)>,
    end: usize,
    numbers: Vec<f64>,
    /// Whole values, lower-cased.
    texts: Vec<String>,
}

impl Field {
    fn add(&mut self, value: &Value) {
        let text = text(value);
        for (place, word) in words(&text).into_iter().enumerate() {
            self.words.push((self.end + place, word.text));
        }
        self.end = self.words.last().map_or(self.end, |(place, _)| place + 1) + GAP;
        match value.as_f64() {
            Some(number) => self.numbers.push(number),
            None => self.texts.push(lower(&text)),
        }
    }
}

/// Documents, ready to be asked.
pub struct Evaluator(Vec<BTreeMap<Option<String>, Field>>);

impl Evaluator {
    /// Of these documents.
    pub fn new(documents: &[Document]) -> Self {
        Self(documents.iter().map(fields).collect())
    }

    /// What a query finds; none for regular expressions.
    pub fn evaluate(&self, query: &str) -> Option<Found> {
        let limits = Limits::default();
        let query = match parse(query, &limits).and_then(|group| analyse(&group, &limits)) {
            Ok(query) => query,
            Err(error) => return Some(Err(error.with_caret(query))),
        };
        if has_regex(&query) {
            return None;
        }
        let found = self.0.iter().enumerate().filter(|(_, fields)| finds(&query, fields)).map(|(place, _)| place);
        Some(Ok(found.collect()))
    }
}

fn fields(document: &Document) -> BTreeMap<Option<String>, Field> {
    let mut fields: BTreeMap<_, Field> = BTreeMap::new();
    for (name, value) in document {
        for value in values(value) {
            for (end, _) in name.match_indices('.') {
                fields.entry(Some(name[..end].to_owned())).or_default();
            }
            fields.entry(Some(name.clone())).or_default().add(value);
            if !name.starts_with('_') {
                fields.entry(None).or_default().add(value);
            }
        }
    }
    fields
}

fn has_regex(query: &Query) -> bool {
    match query {
        Query::Match(leaf) => matches!(leaf.matching, Matching::Regex(_)),
        Query::Boolean(clauses) => clauses.iter().any(|(_, query)| has_regex(query)),
        Query::Boost(query, _) => has_regex(query),
        Query::All | Query::None => false,
    }
}

fn finds(query: &Query, fields: &BTreeMap<Option<String>, Field>) -> bool {
    match query {
        Query::All => true,
        Query::None => false,
        Query::Boost(query, _) => finds(query, fields),
        Query::Match(Match { field, matching, .. }) => fields.get(field).is_some_and(|field| is_in(matching, field)),
        Query::Boolean(clauses) => {
            let of = |wanted: Occur| clauses.iter().filter(move |(occur, _)| *occur == wanted).map(|(_, query)| query);
            let has_must = of(Occur::Must).next().is_some();
            of(Occur::Must).all(|query| finds(query, fields))
                && !of(Occur::MustNot).any(|query| finds(query, fields))
                && (has_must || of(Occur::Should).any(|query| finds(query, fields)))
        }
    }
}

fn is_in(matching: &Matching, field: &Field) -> bool {
    let any = |is_like: &dyn Fn(&str) -> bool| field.words.iter().any(|(_, word)| is_like(word));
    match matching {
        Matching::Exists => true,
        Matching::Word(word) => any(&|found| found == word),
        Matching::Prefix(start) => any(&|found| found.starts_with(start)),
        Matching::Pattern(pieces) => any(&|found| is_like(pieces, found)),
        Matching::Fuzzy { word, distance } => any(&|found| edits(word, found) <= usize::from(*distance)),
        Matching::Phrase { words, slop } => has_phrase(words, *slop, field),
        Matching::Range { lower, upper } => is_in_range(lower, upper, field),
        Matching::Regex(_) => false,
    }
}

fn is_like(pattern: &[Piece], word: &str) -> bool {
    let Some((first, rest)) = pattern.split_first() else { return word.is_empty() };
    let mut characters = word.chars();
    let next = characters.next();
    match first {
        Piece::AnyMany => is_like(rest, word) || next.is_some() && is_like(pattern, characters.as_str()),
        Piece::AnyOne => next.is_some() && is_like(rest, characters.as_str()),
        Piece::Character(character) => next == Some(*character) && is_like(rest, characters.as_str()),
    }
}

/// Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other.
fn edits(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    if from.len().abs_diff(to.len()) > 2 {
        return usize::MAX;
    }
    let mut rows: Vec<Vec<usize>> = vec![(0..=to.len()).collect()];
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

/// Whether the words stand at different places that differ from those of the phrase by no more than the slop.
fn has_phrase(words: &[String], slop: u32, field: &Field) -> bool {
    fn fits(rest: &[String], index: usize, taken: &mut Vec<usize>, slop: usize, field: &Field) -> bool {
        let Some((word, rest)) = rest.split_first() else { return true };
        let places = field.words.iter().filter(|(_, found)| found == word).map(|(place, _)| *place);
        for place in places.collect::<Vec<_>>() {
            let shifts = || taken.iter().enumerate().map(|(index, place)| *place as isize - index as isize);
            let shift = place as isize - index as isize;
            let (least, most) =
                (shifts().min().unwrap_or(shift).min(shift), shifts().max().unwrap_or(shift).max(shift));
            if most.abs_diff(least) > slop || taken.contains(&place) {
                continue;
            }
            taken.push(place);
            if fits(rest, index + 1, taken, slop, field) {
                return true;
            }
            taken.pop();
        }
        false
    }
    fits(words, 0, &mut Vec::new(), slop as usize, field)
}

fn is_in_range(lower: &Bound, upper: &Bound, field: &Field) -> bool {
    if (lower, upper) == (&Bound::Open, &Bound::Open) {
        return !field.words.is_empty();
    }
    let is_text_in = |text: &String| {
        let above = match lower {
            Bound::Open => true,
            Bound::Included(bound) => text >= bound,
            Bound::Excluded(bound) => text > bound,
        };
        above
            && match upper {
                Bound::Open => true,
                Bound::Included(bound) => text <= bound,
                Bound::Excluded(bound) => text < bound,
            }
    };
    field.texts.iter().any(is_text_in) || is_number_in_range(lower, upper, &field.numbers)
}

fn is_number_in_range(lower: &Bound, upper: &Bound, numbers: &[f64]) -> bool {
    let number = |bound: &Bound| match bound {
        Bound::Open => Some(None),
        Bound::Included(text) | Bound::Excluded(text) => text.parse::<f64>().ok().filter(|n| n.is_finite()).map(Some),
    };
    let (Some(least), Some(most)) = (number(lower), number(upper)) else { return false };
    let is_above = |n: f64| least.is_none_or(|least| n > least || n == least && matches!(lower, Bound::Included(_)));
    let is_below = |n: f64| most.is_none_or(|most| n < most || n == most && matches!(upper, Bound::Included(_)));
    numbers.iter().any(|number| is_above(*number) && is_below(*number))
}
