//! What was written. Nothing is split into words, and `AND` and `OR` stand where they stood.

use std::fmt::{self, Write};

/// A query, or what stands between parentheses: one clause or more.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The clauses, in order.
    pub clauses: Vec<Clause>,
}

/// What joins a clause to the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conjunction {
    /// Nothing, which means [`Conjunction::Or`].
    None,
    /// `AND`, `&&`.
    And,
    /// `OR`, `||`.
    Or,
}

/// What stands directly before a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modifier {
    /// Nothing.
    None,
    /// `+`.
    Required,
    /// `-`, `!`, `NOT`.
    Prohibited,
}

/// One clause of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// What joins it to the clause before.
    pub conjunction: Conjunction,
    /// What stands before it.
    pub modifier: Modifier,
    /// What it asks for.
    pub ast: Ast,
    /// `^2`: how much it counts.
    pub boost: Option<f32>,
}

/// What a clause asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Ast {
    /// `( )`; a field before it is given to each leaf inside.
    Group(Group),
    /// Anything else.
    Leaf(Leaf),
}

/// A term, with its field and place.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// The field, unescaped; none: every field.
    pub field: Option<String>,
    /// Where it starts, 0-based in UTF-16 units.
    pub position: usize,
    /// What is looked for.
    pub term: Term,
}

/// What a leaf looks for. Texts are unescaped.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// `*:*`, and a `*` without a field.
    All,
    /// `field:*`, `_exists_:field`: the leaf's field has a value.
    Exists,
    /// An unquoted text, not split yet.
    Text(String),
    /// A quoted text, not split yet.
    Phrase {
        /// What stands between the quotes.
        text: String,
        /// `~3`: how far its words may be moved.
        slop: u32,
    },
    /// A text with `*` or `?`, in order.
    Pattern(Vec<Piece>),
    /// A text before `~`.
    Fuzzy {
        /// The text, which is not split.
        text: String,
        /// The edits; none for a bare `~`.
        distance: Option<u8>,
    },
    /// What stands between slashes, as written.
    Regex(String),
    /// `[a TO b}`, `>=a`. A bound that is `None` is open.
    Range {
        /// The lower bound.
        lower: Option<String>,
        /// The upper bound.
        upper: Option<String>,
        /// Whether the lower bound is inside.
        includes_lower: bool,
        /// Whether the upper bound is inside.
        includes_upper: bool,
    },
}

/// A part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// This character (it was escaped, if it is special).
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

/// With a backslash before what could be syntax; a word that is an operator gets one too.
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
