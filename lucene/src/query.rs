//! What an index is asked.

use std::fmt::{self, Write};

use crate::Piece;

/// A query over words.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// Every document.
    All,
    /// No document.
    None,
    /// Documents with what the leaf looks for.
    Match(Match),
    /// Documents with all musts, no must-nots and, if there is no must, a should at least. There is always a must or
    /// a should: a boolean of negations alone has `Must` of [`Query::All`] boosted by 0.
    Boolean(Vec<(Occur, Query)>),
    /// The same documents; the score is multiplied.
    Boost(Box<Query>, f32),
}

/// How a clause of a boolean counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occur {
    /// The document has it.
    Must,
    /// It raises the score.
    Should,
    /// The document has it not.
    MustNot,
}

/// What is looked for in a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// The field; none: every field.
    pub field: Option<String>,
    /// Where the query asks for it, 0-based in UTF-16 units: for errors that only the index can find.
    pub position: usize,
    /// What is looked for.
    pub matching: Matching,
}

/// What a word or value must be like. Everything but the regex is lower-cased.
#[derive(Clone, Debug, PartialEq)]
pub enum Matching {
    /// This word.
    Word(String),
    /// Two words or more, in order; `slop` moves are allowed.
    Phrase {
        /// The words.
        words: Vec<String>,
        /// How far they may be moved.
        slop: u32,
    },
    /// Words that start with this.
    Prefix(String),
    /// Words like this as a whole.
    Pattern(Vec<Piece>),
    /// Words that this many edits lead to (a swap of neighbours is one).
    Fuzzy {
        /// The word.
        word: String,
        /// The edits.
        distance: u8,
    },
    /// Words that this matches as a whole, as written.
    Regex(String),
    /// Whole values between these; both open: any value that has a word.
    Range {
        /// The lower bound.
        lower: Bound,
        /// The upper bound.
        upper: Bound,
    },
    /// Any value, the empty string too.
    Exists,
}

/// An end of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// No bound.
    Open,
    /// The bound is in the range.
    Included(String),
    /// It is not.
    Excluded(String),
}

/// As Lucene's `Query.toString` writes it, near enough to compare.
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
