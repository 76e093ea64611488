//! The syntax tree of a query. Texts are not split into words, and `AND` and `OR` are not resolved.

use std::fmt::{self, Write};

/// A query, or the content of parentheses: one or more clauses.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The clauses, in order.
    pub clauses: Vec<Clause>,
}

/// The operator between a clause and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conjunction {
    /// No operator, which means [`Conjunction::Or`].
    None,
    /// `AND`, `&&`.
    And,
    /// `OR`, `||`.
    Or,
}

/// The operator directly before a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modifier {
    /// No operator.
    None,
    /// `+`.
    Required,
    /// `-`, `!`, `NOT`.
    Prohibited,
}

/// One clause of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// The operator between it and the clause before.
    pub conjunction: Conjunction,
    /// The operator before it.
    pub modifier: Modifier,
    /// Its content.
    pub ast: Ast,
    /// `^2`: the factor of its score.
    pub boost: Option<f32>,
}

/// The content of a clause.
#[derive(Clone, Debug, PartialEq)]
pub enum Ast {
    /// `( )`; a field before it applies to each leaf inside.
    Group(Group),
    /// Anything else.
    Leaf(Leaf),
}

/// A term, with its field and position.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// The field, unescaped; none for every field.
    pub field: Option<String>,
    /// The position where it starts, in UTF-16 units from 0.
    pub position: usize,
    /// The term.
    pub term: Term,
}

/// A term. Texts are unescaped.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// `*:*`, and a `*` without a field.
    All,
    /// `field:*`, `_exists_:field`: the leaf's field has a value.
    Exists,
    /// An unquoted text, not split into words.
    Text(String),
    /// A quoted text, not split into words.
    Phrase {
        /// The text between the quotes.
        text: String,
        /// `~3`: the number of positions by which its words may be moved.
        slop: u32,
    },
    /// A text with `*` or `?`, in order.
    Pattern(Vec<Piece>),
    /// A text before `~`.
    Fuzzy {
        /// The text, which is not split.
        text: String,
        /// The maximum number of edits; none for a `~` without a number.
        distance: Option<u8>,
    },
    /// The text between slashes, unchanged.
    Regex(String),
    /// `[a TO b}`, `>=a`. `None` is an open bound.
    Range {
        /// The lower bound.
        lower: Option<String>,
        /// The upper bound.
        upper: Option<String>,
        /// Whether the range includes the lower bound.
        includes_lower: bool,
        /// Whether the range includes the upper bound.
        includes_upper: bool,
    },
}

/// A part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A literal character (escaped in the query, if it is special).
    Character(char),
    /// `?`: any one character.
    AnyOne,
    /// `*`: any characters, or none.
    AnyMany,
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, clause) in self.clauses.iter().enumerate() {
            if index > 0 {
                f.write_char(' ')?;
            }
            clause.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.conjunction {
            Conjunction::None => "",
            Conjunction::And => "AND ",
            Conjunction::Or => "OR ",
        })?;
        f.write_str(match self.modifier {
            Modifier::None => "",
            Modifier::Required => "+",
            Modifier::Prohibited => "-",
        })?;
        match &self.ast {
            Ast::Group(group) => write!(f, "({group})")?,
            Ast::Leaf(leaf) => leaf.fmt(f)?,
        }
        self.boost.map_or(Ok(()), |boost| write!(f, "^{boost}"))
    }
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.field, &self.term) {
            (_, Term::All) => return f.write_str("*:*"),
            // Not `field:*`: the field may be called `_exists_`.
            (Some(field), Term::Exists) => return write!(f, "_exists_:{}", escaped(field)),
            (Some(field), _) => write!(f, "{}:", escaped(field))?,
            (None, _) => {}
        }
        self.term.fmt(f)
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("*:*"),
            Self::Exists => f.write_char('*'),
            Self::Text(text) => f.write_str(&escaped(text)),
            Self::Phrase { text, slop: 0 } => f.write_str(&quoted(text)),
            Self::Phrase { text, slop } => write!(f, "{}~{slop}", quoted(text)),
            Self::Pattern(pieces) => pieces.iter().try_for_each(|piece| piece.fmt(f)),
            Self::Fuzzy { text, distance: None } => write!(f, "{}~", escaped(text)),
            Self::Fuzzy { text, distance: Some(distance) } => write!(f, "{}~{distance}", escaped(text)),
            Self::Regex(regex) => write!(f, "/{regex}/"),
            Self::Range { lower, upper, includes_lower, includes_upper } => {
                let start = if *includes_lower { '[' } else { '{' };
                let end = if *includes_upper { ']' } else { '}' };
                write!(f, "{start}{} TO {}{end}", bound(lower.as_deref()), bound(upper.as_deref()))
            }
        }
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Character(character) => f.write_str(&escaped(character.encode_utf8(&mut [0; 4]))),
            Self::AnyOne => f.write_char('?'),
            Self::AnyMany => f.write_char('*'),
        }
    }
}

fn bound(text: Option<&str>) -> String {
    text.map_or_else(|| "*".into(), quoted)
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Escapes the special characters of a text, and the first letter of a word that is an operator.
fn escaped(text: &str) -> String {
    let operator = matches!(text, "AND" | "OR" | "NOT");
    let mut written = String::with_capacity(text.len());
    for (index, character) in text.chars().enumerate() {
        if "+-!():^[]\"{}~*?\\/&|<> \t\n\r\u{3000}".contains(character) {
            written.push('\\');
            written.push(character);
        } else if operator && index == 0 {
            let _ = write!(written, "\\u{:04x}", character as u32);
        } else {
            written.push(character);
        }
    }
    written
}
