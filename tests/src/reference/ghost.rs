//! The results of `g.search`, from one script that the real program runs.

use std::fs;

use serde::Deserialize;
use serde_json::json;

use super::{documents::documents, folder};
use crate::folder::Folder;

/// The script's answer to one query.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Given {
    Found(Vec<usize>),
    Refused(String),
}

/// For each query the places of the documents that it finds, best first, or why it is refused.
///
/// # Panics
///
/// When the script fails.
pub fn ask(queries: &[&str]) -> Vec<Result<Vec<usize>, String>> {
    let folder_of_run = Folder::new();
    folder_of_run.write("input.json", json!({ "documents": documents(), "queries": queries }).to_string());
    let script = fs::read_to_string(folder().join("search.js")).expect("the script");
    let finished = folder_of_run.script(["--input", "@input.json"], &script).finish().exits(0);
    println!("{:?} for {} queries", finished.time, queries.len());
    let given: Vec<Given> = serde_json::from_str(&finished.stdout).expect("what the script gives");
    assert_eq!(given.len(), queries.len());
    let found = given.into_iter().map(|given| match given {
        Given::Found(found) => Ok(found),
        Given::Refused(reason) => Err(reason),
    });
    found.collect()
}
