//! From the tree of a query to Tantivy's queries.

use std::ops::Bound as Limit;

use ghost_lucene::{Bound, Code, Limits, Match, Matching, Occur, Query};
use tantivy::{
    Searcher, Term,
    query::{
        AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, EmptyQuery, Occur as Clause, Query as TantivyQuery,
        TermQuery, TermSetQuery,
    },
    schema::IndexRecordOption,
};

use super::{
    Fields, Problem,
    fuzzy::Fuzzy,
    phrase::Phrase,
    range::Range,
    regex,
    schema::{clean, in_path},
    stop::Stop,
    term_expansion::{EXPANSIONS, Unfit, Words},
    watch::Watched,
};
use crate::{Error, ErrorCode};

type Compiled = Box<dyn TantivyQuery>;

/// A query, ready to be asked.
pub(crate) fn compile(text: &str, searcher: &Searcher, fields: &Fields, stop: &Stop) -> Result<Compiled, Problem> {
    let query = parse(text)?;
    Compiler { text, searcher, fields, stop }.query(&query)
}

/// Refuses a malformed query, without any index.
pub(super) fn parse(text: &str) -> Result<Query, Error> {
    let limits = Limits::default();
    let query = ghost_lucene::parse(text, &limits).and_then(|group| ghost_lucene::analyse(&group, &limits));
    query.map_err(|error| refused(&error, text))
}

fn refused(error: &ghost_lucene::Error, query: &str) -> Error {
    let code = match error.code {
        Code::Syntax => ErrorCode::QuerySyntax,
        Code::Limit => ErrorCode::Limit,
    };
    let mut refused = Error::new(code, error.with_caret(query));
    refused.details = Some(serde_json::json!({ "position": error.position }));
    refused
}

struct Compiler<'c> {
    text: &'c str,
    searcher: &'c Searcher,
    fields: &'c Fields,
    stop: &'c Stop,
}

impl Compiler<'_> {
    fn query(&self, query: &Query) -> Result<Compiled, Problem> {
        Ok(match query {
            Query::All => Box::new(AllQuery),
            Query::None => Box::new(EmptyQuery),
            Query::Boost(query, boost) => Box::new(BoostQuery::new(self.query(query)?, *boost)),
            Query::Match(leaf) => self.leaf(leaf)?,
            Query::Boolean(clauses) => {
                let clauses = clauses.iter().map(|(occur, query)| Ok((clause(*occur), self.query(query)?)));
                Box::new(BooleanQuery::new(clauses.collect::<Result<_, Problem>>()?))
            }
        })
    }

    fn leaf(&self, leaf: &Match) -> Result<Compiled, Problem> {
        self.stop.check()?;
        let path = leaf.field.as_deref();
        Ok(match &leaf.matching {
            Matching::Word(word) => {
                Box::new(TermQuery::new(self.fields.word_term(path, word), IndexRecordOption::WithFreqs))
            }
            Matching::Phrase { words, slop } => {
                let terms = words.iter().map(|word| self.fields.word_term(path, word)).collect();
                Box::new(Phrase { terms, slop: *slop, stop: self.stop.clone() })
            }
            Matching::Exists => path.map_or_else(|| Box::new(AllQuery) as Compiled, |path| self.named(path, false)),
            Matching::Range { lower: Bound::Open, upper: Bound::Open } => self.named(path.unwrap_or_default(), true),
            Matching::Range { lower, upper } => {
                let range = Range::new(path.map(clean), limit(lower), limit(upper), self.stop.clone());
                constant(self.watched(range))
            }
            Matching::Prefix(start) => self.any(leaf, self.words(path).starting_with(start))?,
            Matching::Pattern(pieces) => self.any(leaf, self.words(path).like(pieces))?,
            Matching::Fuzzy { word, distance } => {
                let near = self.words(path).near(word, *distance).map_err(|unfit| self.unfit(leaf, unfit))?;
                Box::new(self.watched(Fuzzy { words: near }))
            }
            Matching::Regex(regex) => {
                let regex = regex::translate(regex).map_err(|message| self.refuse(leaf, Code::Syntax, message))?;
                self.any(leaf, self.words(path).like_regex(&regex))?
            }
        })
    }

    fn named(&self, path: &str, full: bool) -> Compiled {
        constant(TermQuery::new(self.fields.name_term(path, full), IndexRecordOption::Basic))
    }

    fn words(&self, path: Option<&str>) -> Words<'_> {
        let (field, prefix) = match path {
            Some(path) => (self.fields.words, in_path(&clean(path), "")),
            None => (self.fields.all, String::new()),
        };
        Words { searcher: self.searcher, field, prefix, stop: self.stop }
    }

    /// The same query, which looks at the clock.
    fn watched<Q>(&self, query: Q) -> Watched<Q> {
        Watched { query, stop: self.stop.clone() }
    }

    /// Any of the words that a pattern stands for.
    fn any(&self, leaf: &Match, expanded: Result<Vec<Term>, Unfit>) -> Result<Compiled, Problem> {
        let terms = expanded.map_err(|unfit| self.unfit(leaf, unfit))?;
        Ok(if terms.is_empty() { Box::new(EmptyQuery) } else { constant(self.watched(TermSetQuery::new(terms))) })
    }

    fn unfit(&self, leaf: &Match, unfit: Unfit) -> Problem {
        Problem::Call(match unfit {
            Unfit::Index(error) => return error.into(),
            Unfit::Cut => super::out_of_time(),
            Unfit::TooMany => {
                let message = format!("{} matches more than {EXPANSIONS} words, which is the limit", leaf.matching);
                self.refuse(leaf, Code::Limit, message)
            }
            Unfit::Regex(what) => {
                self.refuse(leaf, Code::Syntax, format!("the regular expression is malformed: {what}"))
            }
            Unfit::TooLarge => self.refuse(
                leaf,
                Code::Limit,
                "the regular expression is too complex: its automaton exceeds the limit".into(),
            ),
        })
    }

    fn refuse(&self, leaf: &Match, code: Code, message: String) -> Error {
        refused(&ghost_lucene::Error { code, position: leaf.position, message }, self.text)
    }
}

fn constant(query: impl TantivyQuery) -> Compiled {
    Box::new(ConstScoreQuery::new(Box::new(query), 1.0))
}

fn clause(occur: Occur) -> Clause {
    match occur {
        Occur::Must => Clause::Must,
        Occur::Should => Clause::Should,
        Occur::MustNot => Clause::MustNot,
    }
}

fn limit(bound: &Bound) -> Limit<String> {
    match bound {
        Bound::Open => Limit::Unbounded,
        Bound::Included(text) => Limit::Included(text.clone()),
        Bound::Excluded(text) => Limit::Excluded(text.clone()),
    }
}
