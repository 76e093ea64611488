//! Where the words that a query looks for stand in a text, to show them to people.

use std::{fmt, ops::Range};

use ghost_lucene::{Match, Matching, Occur, Query, words};
use tantivy_fst::{Automaton, Regex};

use super::{
    compile::parse,
    regex,
    term_expansion::{accepts, automaton, is_like},
};
use crate::Error;

/// Says of a word whether it is looked for.
type Test = Box<dyn Fn(&str) -> bool>;

/// The words that a query looks for.
pub struct Marks(Vec<(Option<String>, Test)>);

impl fmt::Debug for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Marks").finish_non_exhaustive()
    }
}

impl Marks {
    /// Those of a query. One that is malformed is refused as it is when it is asked.
    pub fn of(query: &str) -> Result<Self, Error> {
        let mut marks = Self(Vec::new());
        marks.gather(&parse(query)?);
        Ok(marks)
    }

    /// The bytes of a field's text that are looked for, in order.
    pub fn in_text(&self, field: &str, text: &str) -> Vec<Range<usize>> {
        let is_meant = |path: &Option<String>| path.as_deref().is_none_or(|path| path == field);
        let tests: Vec<_> = self.0.iter().filter(|(path, _)| is_meant(path)).collect();
        let found = words(text).into_iter().filter(|word| tests.iter().any(|(_, test)| test(&word.text)));
        found.map(|word| word.start..word.end).collect()
    }

    fn gather(&mut self, query: &Query) {
        match query {
            Query::All | Query::None => {}
            Query::Boost(query, _) => self.gather(query),
            Query::Boolean(clauses) => {
                for (_, query) in clauses.iter().filter(|(occur, _)| *occur != Occur::MustNot) {
                    self.gather(query);
                }
            }
            Query::Match(leaf) => self.add(leaf),
        }
    }

    fn add(&mut self, leaf: &Match) {
        let test: Option<Test> = match leaf.matching.clone() {
            Matching::Word(wanted) => Some(Box::new(move |word| word == wanted)),
            Matching::Phrase { words, .. } => Some(Box::new(move |word| words.iter().any(|wanted| wanted == word))),
            Matching::Prefix(start) => Some(Box::new(move |word| word.starts_with(&start))),
            Matching::Pattern(pieces) => Some(Box::new(move |word| is_like(&pieces, word))),
            Matching::Regex(regex) => {
                regex::translate(&regex).ok().and_then(|regex| Regex::new(&regex).ok()).map(matched_by)
            }
            Matching::Fuzzy { word, distance } => automaton(&word, distance).ok().flatten().map(matched_by),
            // Whole values, not words.
            Matching::Range { .. } | Matching::Exists => None,
        };
        self.0.extend(test.map(|test| (leaf.field.clone(), test)));
    }
}

fn matched_by(automaton: impl Automaton + 'static) -> Test {
    Box::new(move |word| accepts(&automaton, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_that_are_looked_for_are_marked() {
        let cases = [
            ("tea", "Green TEA, teapot", "TEA"),
            ("title:tea", "tea", ""),
            ("text:tea", "tea", "tea"),
            ("\"green tea\"", "a green cup of tea", "green|tea"),
            ("te*", "Tea teapot pot", "Tea|teapot"),
            ("t?a", "tea toad", "tea"),
            ("/te(a|st)/", "tea test teas", "tea|test"),
            ("roam~", "foam roams boat", "foam|roams"),
            ("green -tea", "green tea", "green"),
            ("green AND (tea^2 OR pot)", "green tea pot", "green|tea|pot"),
            ("[a TO z]", "green", ""),
            ("東", "東京", "東"),
        ];
        for (query, text, expected) in cases {
            let marks = Marks::of(query).unwrap();
            let marked: Vec<_> = marks.in_text("text", text).into_iter().map(|place| &text[place]).collect();
            assert_eq!(marked.join("|"), expected, "{query}");
        }
        assert!(Marks::of("(a").is_err());
    }
}
