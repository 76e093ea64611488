//! Lucene's classic query syntax, as Elasticsearch 7.17's `query_string` reads it, without any index.
//!
//! ```text
//! text ── parse ──► Ast ── analyse ──► Query ── (the host) ──► queries of an index
//!         syntax           words, precedence
//! ```
//!
//! [`parse`] knows syntax alone: its [`Ast`] says what was written, prints itself and parses again to the same.
//! [`analyse`] splits texts into [`words`], lets clauses without a word vanish and only then applies precedence, because
//! in the classic parser `AND` changes the clause before it **that is left**. Its [`Query`] is a tree of musts, shoulds
//! and must-nots over words, phrases, patterns and ranges: everything but the index. [`words`] is also what the index
//! itself must be made with.
//!
//! Where this is stricter than Elasticsearch, it refuses what would be ignored or guessed there: a fuzzy distance after a
//! pattern or that is no whole number, a comparison without its bound, a lone surrogate. A text without a field that
//! starts with `<` or `>` is text. A field is named, never a pattern: `\*` in it is a star.

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
