//! The recorded order of results of Elasticsearch.
//!
//! Only queries whose score is BM25 in both: words, phrases and fuzzy terms that look in every field, joined in any way.

use std::{fs, path::PathBuf};

use ghost_lucene::{Ast, Group, Limits, Term, parse};
use serde::{Deserialize, Serialize};

use super::{
    Query,
    answers::{Answer, explained},
    folder,
};

/// How many documents of a query are kept, the best ones.
pub const KEPT: usize = 20;

/// A query and the documents that Elasticsearch puts first.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ranking {
    /// The query, which both are given as it is.
    pub query: String,
    /// Places of documents in the list and their scores, best first.
    pub best: Vec<(usize, f32)>,
}

/// The queries among these whose order is compared: those that find two documents at the least, the same in both.
pub fn queries(answers: &[Answer]) -> Vec<Query> {
    let otherwise = explained();
    let is_ranked = |answer: &&Answer| {
        !otherwise.contains_key(&answer.query.ghost)
            && answer.found.as_ref().is_ok_and(|found| found.len() >= 2)
            && parse(&answer.query.ghost, &Limits::default()).is_ok_and(|group| is_scored(&group))
    };
    answers.iter().filter(is_ranked).map(|answer| answer.query.clone()).collect()
}

fn is_scored(group: &Group) -> bool {
    group.clauses.iter().all(|clause| match &clause.ast {
        Ast::Group(group) => is_scored(group),
        Ast::Leaf(leaf) => {
            leaf.field.is_none() && matches!(leaf.term, Term::Text(_) | Term::Phrase { .. } | Term::Fuzzy { .. })
        }
    })
}

/// Where they are.
pub fn file() -> PathBuf {
    folder().join("ranking.jsonl")
}

/// Reads them.
pub fn read() -> Vec<Ranking> {
    let text = fs::read_to_string(file()).expect("the recorded order");
    text.lines().map(|line| serde_json::from_str(line).expect("a query and its documents")).collect()
}

/// Replaces them.
pub fn write(rankings: &[Ranking]) {
    let lines = rankings.iter().map(|ranking| serde_json::to_string(ranking).expect("a line") + "\n");
    fs::write(file(), lines.collect::<String>()).expect("the file can be written");
}
