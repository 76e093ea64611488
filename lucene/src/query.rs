//! The analysed query, which an index executes.

use std::fmt::{self, Write};

use crate::Piece;

/// A query over words.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// Every document.
    All,
    /// No document.
    None,
    /// Documents that match the leaf.
    Match(Match),
    /// Documents that match all `Must`, no `MustNot` and, without a `Must`, at least one `Should`. There is always a
    /// `Must` or a `Should`: a query of negations alone also has `Must` of [`Query::All`], boosted by 0.
    Boolean(Vec<(Occur, Query)>),
    /// The same documents, with the score multiplied.
    Boost(Box<Query>, f32),
}

/// The role of a clause in a boolean query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occur {
    /// The document must match.
    Must,
    /// A match raises the score.
    Should,
    /// The document must not match.
    MustNot,
}

/// A match in a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// The field; none for every field.
    pub field: Option<String>,
    /// The position in the query, in UTF-16 units from 0, for errors that only the index can detect.
    pub position: usize,
    /// What a value must match.
    pub matching: Matching,
}

/// What a word or a value must match. All texts except the regex are in lower case.
#[derive(Clone, Debug, PartialEq)]
pub enum Matching {
    /// This word.
    Word(String),
    /// Two or more words in order, with at most `slop` moves.
    Phrase {
        /// The words.
        words: Vec<String>,
        /// The number of positions by which they may be moved.
        slop: u32,
    },
    /// Words with this prefix.
    Prefix(String),
    /// Words that match this pattern as a whole.
    Pattern(Vec<Piece>),
    /// Words within a number of edits (a transposition is one edit).
    Fuzzy {
        /// The word.
        word: String,
        /// The maximum number of edits.
        distance: u8,
    },
    /// Words that this regex matches as a whole.
    Regex(String),
    /// Whole values between the bounds. With two open bounds: any value that has a word.
    Range {
        /// The lower bound.
        lower: Bound,
        /// The upper bound.
        upper: Bound,
    },
    /// Any value, including the empty string.
    Exists,
}

/// An end of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// No bound.
    Open,
    /// The range includes the bound.
    Included(String),
    /// The range excludes the bound.
    Excluded(String),
}

/// Formats the query similarly to Lucene's `Query.toString`, for comparisons.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("*:*"),
            Self::None => f.write_str("<none>"),
            Self::Match(leaf) => leaf.fmt(f),
            Self::Boost(query, boost) => write!(f, "({query})^{boost}"),
            Self::Boolean(clauses) => clauses.iter().enumerate().try_for_each(|(index, (occur, query))| {
                f.write_str(if index > 0 { " " } else { "" })?;
                f.write_str(match occur {
                    Occur::Must => "+",
                    Occur::Should => "",
                    Occur::MustNot => "-",
                })?;
                if matches!(query, Self::Boolean(_)) { write!(f, "({query})") } else { query.fmt(f) }
            }),
        }
    }
}

impl fmt::Display for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(field) = &self.field {
            write!(f, "{field}:")?;
        }
        self.matching.fmt(f)
    }
}

impl fmt::Display for Matching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => f.write_str(word),
            Self::Phrase { words, slop: 0 } => write!(f, "\"{}\"", words.join(" ")),
            Self::Phrase { words, slop } => write!(f, "\"{}\"~{slop}", words.join(" ")),
            Self::Prefix(prefix) => write!(f, "{prefix}*"),
            Self::Pattern(pieces) => pieces.iter().try_for_each(|piece| match piece {
                Piece::Character(character) => f.write_char(*character),
                Piece::AnyOne => f.write_char('?'),
                Piece::AnyMany => f.write_char('*'),
            }),
            Self::Fuzzy { word, distance } => write!(f, "{word}~{distance}"),
            Self::Regex(regex) => write!(f, "/{regex}/"),
            Self::Range { lower, upper } => range(f, lower, upper),
            Self::Exists => f.write_str("<exists>"),
        }
    }
}

fn range(f: &mut fmt::Formatter<'_>, lower: &Bound, upper: &Bound) -> fmt::Result {
    match lower {
        Bound::Open => f.write_str("[*")?,
        Bound::Included(text) => write!(f, "[{text}")?,
        Bound::Excluded(text) => write!(f, "{{{text}")?,
    }
    f.write_str(" TO ")?;
    match upper {
        Bound::Open => f.write_str("*]"),
        Bound::Included(text) => write!(f, "{text}]"),
        Bound::Excluded(text) => write!(f, "{text}}}"),
    }
}
