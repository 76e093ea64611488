//! Converts an [`Ast`] to a [`Query`]: splits texts into words, drops clauses without words, applies precedence.

use crate::{
    Ast, Bound, Clause, Conjunction, Error, Group, Leaf, Limits, Match, Matching, Modifier, Occur, Piece, Query, Term,
    lower, words,
};

/// Splits texts into words and applies precedence. A query without words matches no document.
///
/// # Errors
///
/// Fails when the query has more clauses than the limit; each word of an unquoted text counts as a clause.
pub fn analyse(group: &Group, limits: &Limits) -> Result<Query, Error> {
    let mut analysis = Analysis { limits, clauses: 0 };
    Ok(analysis.group(group)?.unwrap_or(Query::None))
}

struct Analysis<'a> {
    limits: &'a Limits,
    clauses: usize,
}

impl Analysis<'_> {
    /// Converts a group; none if no clause has a word.
    fn group(&mut self, group: &Group) -> Result<Option<Query>, Error> {
        let mut joined: Vec<(Occur, Query)> = Vec::new();
        for clause in &group.clauses {
            // Also if this clause is dropped: `a AND "!!"` requires a.
            if let (Conjunction::And, Some((occur @ Occur::Should, _))) = (clause.conjunction, joined.last_mut()) {
                *occur = Occur::Must;
            }
            if let Some(query) = self.clause(clause)? {
                joined.push((occur(clause), query));
            }
        }
        Ok(boolean(joined))
    }

    fn clause(&mut self, clause: &Clause) -> Result<Option<Query>, Error> {
        let query = match &clause.ast {
            Ast::Group(group) => self.group(group)?,
            Ast::Leaf(leaf) => self.leaf(leaf)?,
        };
        Ok(query.map(|query| match clause.boost {
            Some(boost) => Query::Boost(Box::new(query), boost),
            None => query,
        }))
    }

    fn leaf(&mut self, leaf: &Leaf) -> Result<Option<Query>, Error> {
        let matching = match &leaf.term {
            Term::All => {
                self.count(leaf, 1)?;
                return Ok(Some(Query::All));
            }
            Term::Text(text) => return self.text(leaf, text),
            Term::Phrase { text, slop } => match phrase(text, *slop) {
                Some(matching) => matching,
                None => return Ok(None),
            },
            term => matching(term),
        };
        self.count(leaf, 1)?;
        Ok(Some(found(leaf, matching)))
    }

    /// Converts an unquoted text. Its words are alternatives, regardless of the operators around it.
    fn text(&mut self, leaf: &Leaf, text: &str) -> Result<Option<Query>, Error> {
        let words = words(text);
        self.count(leaf, words.len())?;
        let words = words.into_iter().map(|word| (Occur::Should, found(leaf, Matching::Word(word.text))));
        Ok(boolean(words.collect()))
    }

    fn count(&mut self, leaf: &Leaf, clauses: usize) -> Result<(), Error> {
        self.clauses += clauses;
        if self.clauses <= self.limits.clauses {
            return Ok(());
        }
        let limit = self.limits.clauses;
        Err(Error::limit(leaf.position, format!("the query has more than {limit} clauses, which is the limit")))
    }
}

fn occur(clause: &Clause) -> Occur {
    match (clause.modifier, clause.conjunction) {
        (Modifier::Prohibited, _) => Occur::MustNot,
        (Modifier::Required, _) | (_, Conjunction::And) => Occur::Must,
        (Modifier::None, Conjunction::None | Conjunction::Or) => Occur::Should,
    }
}

fn boolean(mut clauses: Vec<(Occur, Query)>) -> Option<Query> {
    if clauses.is_empty() {
        return None;
    }
    if clauses.iter().all(|(occur, _)| *occur == Occur::MustNot) {
        clauses.push((Occur::Must, Query::Boost(Box::new(Query::All), 0.0)));
    }
    if clauses.len() == 1 {
        return clauses.pop().map(|(_, query)| query);
    }
    Some(Query::Boolean(clauses))
}

fn found(leaf: &Leaf, matching: Matching) -> Query {
    Query::Match(Match { field: leaf.field.clone(), position: leaf.position, matching })
}

fn phrase(text: &str, slop: u32) -> Option<Matching> {
    let mut words: Vec<String> = words(text).into_iter().map(|word| word.text).collect();
    match words.len() {
        0 => None,
        1 => words.pop().map(Matching::Word),
        _ => Some(Matching::Phrase { words, slop }),
    }
}

/// Converts a term that is not split into words.
fn matching(term: &Term) -> Matching {
    match term {
        Term::All | Term::Exists => Matching::Exists,
        Term::Text(text) | Term::Phrase { text, .. } => Matching::Word(lower(text)),
        Term::Pattern(pieces) => pattern(pieces),
        Term::Fuzzy { text, distance } => {
            let distance = distance.unwrap_or_else(|| automatic(text));
            Matching::Fuzzy { word: lower(text), distance }
        }
        Term::Regex(regex) => Matching::Regex(regex.clone()),
        Term::Range { lower, upper, includes_lower, includes_upper } => Matching::Range {
            lower: bound(lower.as_deref(), *includes_lower),
            upper: bound(upper.as_deref(), *includes_upper),
        },
    }
}

fn pattern(pieces: &[Piece]) -> Matching {
    if let Some((Piece::AnyMany, start)) = pieces.split_last() {
        let prefix: Option<String> =
            start.iter().map(|piece| if let Piece::Character(c) = piece { Some(*c) } else { None }).collect();
        if let Some(prefix) = prefix.filter(|prefix| !prefix.is_empty()) {
            return Matching::Prefix(lower(&prefix));
        }
    }
    let lowered = pieces.iter().map(|piece| match piece {
        Piece::Character(character) => Piece::Character(character.to_lowercase().next().unwrap_or(*character)),
        other => *other,
    });
    Matching::Pattern(lowered.collect())
}

/// Returns the distance of a `~` without a number.
fn automatic(text: &str) -> u8 {
    match text.chars().count() {
        0..3 => 0,
        3..6 => 1,
        _ => 2,
    }
}

fn bound(text: Option<&str>, included: bool) -> Bound {
    match text.map(lower) {
        None => Bound::Open,
        Some(text) if included => Bound::Included(text),
        Some(text) => Bound::Excluded(text),
    }
}
