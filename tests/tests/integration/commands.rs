//! Commands of the program, and folders prepared for them.

use ghost_tests::folder::{Finished, Folder};
use serde_json::Value;

/// A folder with the documents ada and grace in the collection people.
pub fn with_people() -> Folder {
    let folder = Folder::new();
    store(&folder, ["put", "people", "ada", "{ \"born\": 1815 }"])
        .exits(0)
        .prints("")
        .says("made a workspace in .ghost");
    store(&folder, ["put", "people", "grace", "[1, 2]"]).exits(0).never_says("made a workspace");
    folder
}

/// A script that leaves an item in each state, one of them large, and a second pending one.
pub const FILLS_A_QUEUE: &str = "export function main() {
  g.queue.enqueue('q', 'dead', { maxRetries: 0 });
  g.queue.abort(g.queue.dequeue('q').id, new Error('no luck'));
  g.queue.enqueue('q', 'taken');
  g.queue.dequeue('q');
  g.queue.enqueue('q', 'low', { priority: 0 });
  g.queue.enqueue('q', 'x'.repeat(9000));
}";

/// Runs `ghost store`.
pub fn store<'a>(folder: &Folder, arguments: impl IntoIterator<Item = &'a str>) -> Finished {
    folder.ghost(["store"].into_iter().chain(arguments)).finish().never_says("panicked")
}

/// Runs `ghost workspace`.
pub fn workspace<'a>(folder: &Folder, arguments: impl IntoIterator<Item = &'a str>) -> Finished {
    folder.ghost(["workspace"].into_iter().chain(arguments)).finish().never_says("panicked")
}

/// Runs `ghost store import` with these lines on standard input.
pub fn import(folder: &Folder, arguments: &[&str], lines: impl Into<Vec<u8>>) -> Finished {
    folder.ghost(["store", "import"].into_iter().chain(arguments.iter().copied())).stdin(lines).finish()
}

/// Runs a command, and parses the JSON that it prints.
#[track_caller]
pub fn json(folder: &Folder, arguments: &[&str]) -> Value {
    value(folder.ghost(arguments.iter().copied()).finish())
}

/// Runs a script from the command line, and parses its result.
#[track_caller]
pub fn evaluate(folder: &Folder, code: &str) -> Value {
    json(folder, &["run", "-e", code])
}

/// Parses the JSON that a program printed, which must have succeeded.
#[track_caller]
pub fn value(finished: Finished) -> Value {
    let finished = finished.exits(0);
    serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}\n{finished}"))
}

/// The keys of a list of documents.
pub fn keys(list: &Value) -> Vec<&str> {
    list.as_array().expect("an array").iter().map(|document| document["key"].as_str().expect("a key")).collect()
}

/// Changes the tables of a workspace without ghost.
pub fn tamper(folder: &Folder, change: impl FnOnce(&redb::WriteTransaction)) {
    let redb = redb::Database::open(folder.path().join(".ghost/data.redb")).expect("it is a database");
    let transaction = redb.begin_write().expect("it can be written");
    change(&transaction);
    transaction.commit().expect("it is written");
}
