//! Lucene's classic query syntax, as Elasticsearch 7.17's `query_string` reads it, without any index.
//!
//! ```text
//! text ── parse ──► Ast ── analyse ──► Query ── (the host) ──► queries of an index
//!         syntax           words, precedence
//! ```
//!
//! [`parse`] only handles the syntax. Printing its [`Ast`] and parsing the result gives an equal [`Ast`]. [`analyse`]
//! splits texts into [`words`], drops clauses without words, and then applies precedence, because in the classic parser
//! `AND` changes the previous clause **that is left**. Its [`Query`] is a tree of `Must`, `Should` and `MustNot` over
//! words, phrases, patterns and ranges. An index must split its texts by [`words`] too.
//!
//! This crate rejects some queries in which Elasticsearch ignores or guesses a part: a fuzzy distance after a pattern
//! or that is not a whole number, a comparison without a bound, an unpaired surrogate. A text without a field that
//! starts with `<` or `>` is text. A field is a name, not a pattern: `\*` in it is a star.

mod analyse;
mod ast;
mod error;
mod lexer;
mod limits;
mod parser;
mod query;
mod words;

pub use analyse::analyse;
pub use ast::{Ast, Clause, Conjunction, Group, Leaf, Modifier, Piece, Term};
pub use error::{Code, Error};
pub use limits::Limits;
pub use parser::parse;
pub use query::{Bound, Match, Matching, Occur, Query};
pub use words::{LONGEST_WORD, Scan, Word, lower, lower_character, words};
