//! The comparison of `g.search` with Elasticsearch 7.17: documents, queries, and what Elasticsearch found.
//!
//! ```text
//! documents ──► vocabulary ──► generate ──► queries ──► (examples/record-reference, a cluster) ──► answers
//! ```
//!
//! The answers are recorded in `tests/reference/`, so that the everyday test needs no cluster. How a query
//! is put to Elasticsearch, and where the two differ, stands in `docs/query-differences.md`.

pub mod answers;
mod compose;
pub mod constructs;
pub mod documents;
pub mod evaluate;
pub mod generate;
pub mod ghost;
mod leaves;
mod random;
pub mod ranking;
mod vocabulary;

use std::{fs, path::PathBuf};

use crate::program::repository;
use documents::Document;

/// Whence the queries are generated.
pub const SEED: u64 = 20_261_121;

/// How many queries are generated at the least.
pub const GENERATED: usize = 5_000;

/// A query in the two forms that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// As a script of ghost gives it.
    pub ghost: String,
    /// As Elasticsearch is given it: the same, but for ranges and `*:`.
    pub reference: String,
}

impl Query {
    /// A query that both are given as it is.
    pub fn same(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { ghost: text.clone(), reference: text }
    }

    /// Both forms changed alike.
    #[must_use]
    pub fn map(&self, change: impl Fn(&str) -> String) -> Self {
        Self { ghost: change(&self.ghost), reference: change(&self.reference) }
    }
}

/// The folder of the files that are compared with.
pub fn folder() -> PathBuf {
    repository().join("tests/reference")
}

/// The queries that were written by hand, then those that are generated.
pub fn queries(documents: &[Document]) -> Vec<Query> {
    let mut queries = by_hand();
    queries.extend(generate::generate(documents, SEED, GENERATED).queries);
    queries
}

/// A line each: the query and, after a tab, what Elasticsearch is given if that is something else.
fn by_hand() -> Vec<Query> {
    let text = fs::read_to_string(folder().join("queries.txt")).expect("the queries by hand");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("##"));
    lines
        .map(|line| match line.split_once('\t') {
            Some((ghost, reference)) => Query { ghost: ghost.into(), reference: reference.into() },
            None => Query::same(line),
        })
        .collect()
}
