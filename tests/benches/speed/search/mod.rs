//! Searching, beside Tantivy alone with the same documents and queries.

mod bare;
mod questions;
mod words;

use std::time::Instant;

use anyhow::{Result, ensure};
use ghost::{
    Instances, RunOptions,
    search::{Options, Searches},
    workspace::{Create, Workspace},
};
use ghost_tests::folder::Folder;
use serde_json::Value;

use crate::{Row, runs::Warm};
use bare::Bare;

const DOCUMENTS: &str = include_str!("words.js");
const MANY: usize = 1_000_000;
const SOME: usize = 100_000;
const TIMES: usize = 5;

/// Runs a script in a workspace: what it returned.
fn script(workspace: &Workspace, source: &str, argument: &Value) -> Result<Value> {
    let warm = Warm::new(Instances::OnDemand, &format!("{DOCUMENTS}\n{source}"))?;
    let options = RunOptions {
        workspace: Some(workspace.clone()),
        arguments: vec![argument.to_string()],
        ..RunOptions::default()
    };
    Ok(serde_json::from_str(&warm.run(options)?.0)?)
}

fn number(value: &Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or(f64::NAN)
}

const INDEX: &str = "export function main(count) {
  const all = [...documents(count)];
  const started = performance.now();
  for (const { key, text, year } of all) g.search.index({ _collection: 'c', _key: key, text, year });
  const indexed = performance.now() - started;
  g.search.query('tea');
  return { indexed, found: performance.now() - started };
}";

/// How many documents a second go into the search, and into its index.
pub fn index() -> Result<Vec<Row>> {
    let folder = Folder::new();
    let times = script(&Workspace::at(folder.path(), Create::AtFirstUse), INDEX, &SOME.into())?;
    let a_second = |name| SOME as f64 / number(&times, name) * 1_000.0;
    Ok(vec![Row {
        what: "`g.search.index` of 100,000 documents, a second".into(),
        measured: format!("{:.0}; until a query has found them {:.0}", a_second("indexed"), a_second("found")),
        beside: String::new(),
        wanted: "20,000",
    }])
}

const FIRST: &str = "export function main(count) {
  for (const { key, text, year } of documents(count)) g.store.put('c', key, { text, year });
  const started = performance.now();
  const found = g.store.search('c', 'year:1999').length;
  const first = performance.now() - started;
  for (let i = 0; i < 100; i++) g.store.search('c', 'year:1999');
  return { found, first, next: (performance.now() - started - first) / 100 };
}";

/// The first search of a collection.
pub fn first() -> Result<Vec<Row>> {
    let folder = Folder::new();
    let times = script(&Workspace::at(folder.path(), Create::AtFirstUse), FIRST, &SOME.into())?;
    ensure!(times["found"] == 100, "{times}");
    Ok(vec![Row {
        what: "the first `g.store.search` of a collection of 100,000".into(),
        measured: format!("{:.2} s; the next {:.2} ms", number(&times, "first") / 1_000.0, number(&times, "next")),
        beside: String::new(),
        wanted: "",
    }])
}

const FILL: &str = "export function main(count) {
  for (const { key, text, year } of documents(count)) g.search.index({ _collection: 'c', _key: key, text, year });
  return g.search.query('nothing').length;
}";

const ASK: &str = "export function main({ queries, times }) {
  let found = 0;
  for (const query of queries) found += g.search.query(query).length;
  const started = performance.now();
  for (let i = 0; i < times; i++) for (const query of queries) g.search.query(query);
  return { took: (performance.now() - started) / times / queries.length, found };
}";

/// Milliseconds a query for a program that is no script.
fn by_library(workspace: &Workspace, queries: &[String]) -> Result<f64> {
    let (mut searches, options) = (Searches::of(workspace), Options::default());
    let mut started = Instant::now();
    for time in 0..=TIMES {
        // The first time is not counted.
        if time == 1 {
            started = Instant::now();
        }
        for query in queries {
            searches.query(query, &options)?;
        }
    }
    Ok(started.elapsed().as_secs_f64() * 1_000.0 / (TIMES * queries.len()) as f64)
}

const ONE: &str = "export function main(times) {
  g.search.query('nothing');
  const started = performance.now();
  for (let i = 0; i < times; i++) {
    g.search.index({ _collection: 'one', _key: 'key', text: `nonesuch${i}` });
    if (g.search.query(`nonesuch${i}`).length !== 1) throw new Error('it is not found');
  }
  return (performance.now() - started) / times;
}";

/// Queries among a million documents, and a document that is indexed and found.
pub fn queries() -> Result<Vec<Row>> {
    let (folder, beside) = (Folder::new(), Folder::new());
    let workspace = Workspace::at(folder.path(), Create::AtFirstUse);
    let empty = script(&Workspace::at(Folder::new().path(), Create::AtFirstUse), ONE, &200.into())?;
    script(&workspace, FILL, &MANY.into())?;
    // Merges are waited for, as with the other.
    drop(workspace);
    let workspace = Workspace::at(folder.path(), Create::Never);
    let bare = Bare::new(beside.path(), MANY)?;
    let mut rows = Vec::new();
    for (kind, questions) in questions::kinds() {
        let queries: Vec<_> = questions.iter().map(questions::Question::text).collect();
        let ours = script(&workspace, ASK, &serde_json::json!({ "queries": queries, "times": TIMES }))?;
        let (_, found) = bare.ask(&questions, 1)?;
        let (theirs, _) = bare.ask(&questions, TIMES)?;
        ensure!(ours["found"] == found, "{kind}: {} found, by Tantivy {found}", ours["found"]);
        let (in_script, by_library) = (number(&ours, "took"), by_library(&workspace, &queries)?);
        rows.push(Row {
            what: format!("a query of 1,000,000: {kind}"),
            measured: format!("{by_library:.2} ms; in a script {in_script:.2} ms"),
            beside: format!("bare Tantivy {theirs:.2} ms"),
            wanted: "2 times bare",
        });
    }
    let full = script(&workspace, ONE, &200.into())?;
    let ms = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    rows.push(Row {
        what: "a document is indexed and found".into(),
        measured: format!("{:.2} ms; among 1,000,000 {:.2} ms", ms(&empty), ms(&full)),
        beside: String::new(),
        wanted: "5 ms",
    });
    Ok(rows)
}
