//! Puts all queries of the comparison to an Elasticsearch 7.17 and records what it finds, and in which order:
//!
//! ```sh
//! cargo run --release -p ghost-tests --example record-reference -- http://127.0.0.1:9200
//! ```
//!
//! It makes the index `ghost-reference` there, anew. It takes `curl` and a minute.

mod cluster;
mod index;

use anyhow::{Context, Result};
use ghost_tests::reference::{
    SEED,
    answers::{self, Answer},
    documents::documents,
    queries, ranking,
};

fn main() -> Result<()> {
    let url = std::env::args().nth(1).context("the address of a cluster is expected, such as http://127.0.0.1:9200")?;
    let cluster = cluster::Cluster::at(&url)?;
    let documents = documents();
    index::make(&cluster, &documents)?;
    let queries = queries(&documents);
    let found = cluster.find(&queries)?;
    let answers: Vec<Answer> = queries.into_iter().zip(found).map(|(query, found)| Answer { query, found }).collect();
    answers::write(&answers);
    let ranked = ranking::queries(&answers);
    ranking::write(&cluster.rank(&ranked)?);
    let refused = answers.iter().filter(|answer| answer.found.is_err()).count();
    let empty = answers.iter().filter(|answer| answer.found.as_ref().is_ok_and(|found| found.is_empty())).count();
    let (all, file) = (answers.len(), answers::file());
    println!("{all} queries (seed {SEED}): {refused} refused, {empty} without a document; {}", file.display());
    println!("the order of {}; {}", ranked.len(), ranking::file().display());
    Ok(())
}
