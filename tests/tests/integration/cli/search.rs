//! `ghost search`, as people and their pipes use it.

use std::process::Command;

use ghost_tests::{
    folder::{Finished, Folder},
    program::binary,
};
use redb::{ReadableTable, TableDefinition, WriteTransaction};
use serde_json::{Value, json};

use crate::commands::{tamper, value};

fn with_books() -> Folder {
    let folder = Folder::new();
    let source = "export function main() {
      g.search.index({ _collection: 'books', _key: 'kim', title: 'Kim of the Green Tea', year: 1901, note: '\\u001b[2J tea' });
      g.search.index({ _collection: 'books', _key: 'emma', title: 'Emma', year: 1815 });
      g.search.index({ _collection: 'plays', _key: 'emma', title: 'Emma, the play' });
    }";
    folder.script([], source).finish().exits(0);
    folder
}

fn search<'a>(folder: &Folder, arguments: impl IntoIterator<Item = &'a str>) -> Finished {
    folder.ghost(["search"].into_iter().chain(arguments)).finish().never_says("panicked")
}

/// The output of a command on a terminal of 80 columns.
fn on_a_terminal(folder: &Folder, command: &str, colour: &str) -> String {
    let mut terminal = Command::new("script");
    terminal.args(["-qec", &format!("stty cols 80; '{}' {command}", binary().display()), "/dev/null"]);
    let finished = folder.command(terminal).env("TERM", "xterm").env("NO_COLOR", colour).finish().exits(0);
    finished.stdout.replace("\r\n", "\n")
}

#[test]
fn query_prints_results_as_json() {
    let folder = with_books();
    let found = value(search(&folder, ["query", "title:tea"]));
    let fields = json!({ "title": "Kim of the Green Tea", "year": "1901", "note": "\u{1b}[2J tea" });
    assert_eq!(found[0]["fields"], fields);
    assert_eq!((&found[0]["key"], &found[0]["collection"]), (&json!("kim"), &json!("books")));
    assert!(found[0]["score"].as_f64().expect("a number") > 0.0);
    // As they were given, not by their names.
    let printed = search(&folder, ["query", "title:tea"]).stdout;
    let places =
        ["\"key\"", "\"collection\"", "\"score\"", "\"title\"", "\"year\"", "\"note\""].map(|name| printed.find(name));
    assert!(places.is_sorted() && places[0].is_some(), "{printed}");
    let keys = |arguments: &[&str]| {
        let found = value(search(&folder, ["query"].iter().chain(arguments).copied()));
        found.as_array().expect("an array").iter().map(|found| found["collection"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(keys(&["emma"]), ["books", "plays"]);
    assert_eq!(keys(&["emma", "--collection", "plays"]), ["plays"]);
    assert_eq!(keys(&["emma", "--limit", "1"]), ["books"]);
    assert_eq!(keys(&["emma", "--offset", "1"]), ["plays"]);
    assert_eq!(keys(&["nothing"]), Vec::<Value>::new());
    assert_eq!(keys(&["-emma"]), ["books"]);
}

#[test]
fn query_highlights_matches_on_a_terminal() {
    let folder = with_books();
    let shown = on_a_terminal(&folder, "search query 'te* AND _key:kim'", "");
    assert!(shown.contains("Green \u{1b}[1;33mTea\u{1b}[0m"), "{shown}");
    assert!(shown.contains("\u{1b}[1;33mkim\u{1b}[0m"), "{shown}");
    assert!(shown.contains("note: \\x1b[2J \u{1b}[1;33mtea\u{1b}[0m"), "{shown}");
    assert!(shown.ends_with("result 1\n"), "{shown}");
    let plain = on_a_terminal(&folder, "search query emma", "1");
    assert!(plain.contains("books/emma") && plain.contains("results 1 to 2") && !plain.contains('\u{1b}'), "{plain}");
    assert_eq!(on_a_terminal(&folder, "search query nonesuch", "1"), "no results\n");
    let json = on_a_terminal(&folder, "search query tea --json", "1");
    assert_eq!(serde_json::from_str::<Value>(&json).expect("JSON")[0]["key"], "kim");
}

#[test]
fn a_malformed_query_is_shown_with_a_caret() {
    let folder = with_books();
    let reported = search(&folder, ["query", "title:(tea"]).fails_clearly(1);
    assert!(reported.stderr.contains("title:(tea\n        ^"), "{reported}");
    search(&folder, ["query", ""]).fails_clearly(1).says("*:*");
    search(&folder, ["query", "x", "--limit", "-1"]).fails_clearly(2).says("whole numbers from 0 to 2147483647");
    search(&folder, ["query"]).fails_clearly(2);
}

#[test]
fn info_reports_the_size_of_the_index_and_rebuild_recreates_it() {
    let folder = with_books();
    let before = value(search(&folder, ["info"]));
    assert_eq!((&before["documents"], &before["waiting"], &before["bytes"]), (&json!(3), &Value::Null, &json!(0)));
    search(&folder, ["rebuild"]).exits(0).says("the index of g.search from 3 documents");
    let after = value(search(&folder, ["info"]));
    assert_eq!((&after["documents"], &after["waiting"]), (&json!(3), &json!(0)));
    assert!(after["bytes"].as_u64().expect("a number") > 0);
    folder.script([], "export const main = () => g.search.delete('books', 'kim');").finish().exits(0);
    assert_eq!(value(search(&folder, ["info"]))["waiting"], 1);
    assert!(on_a_terminal(&folder, "search info", "1").contains("1 change"));
    assert_eq!(value(search(&folder, ["query", "*:*"])).as_array().expect("an array").len(), 2);
}

#[test]
fn without_a_workspace_it_says_how_to_make_one() {
    let folder = Folder::new();
    for command in [&["query", "x"][..], &["info"], &["rebuild"]] {
        search(&folder, command.iter().copied()).fails_clearly(2).says("ghost init");
    }
    assert!(!folder.path().join(".ghost").exists());
}

#[test]
fn a_bar_is_shown_while_a_first_search_takes_longer_than_a_second() {
    let folder = Folder::new();
    let source = "export function main() {
      const words = Array.from({ length: 400 }, (_, i) => `word${i}`).join(' ');
      for (let i = 0; i < 30_000; i++) g.store.put('c', `k${i}`, { text: words });
      return g.store.search('c', 'word1', { limit: 1 }).length;
    }";
    folder.write("script.js", source);
    let shown = on_a_terminal(&folder, "run script.js", "1");
    assert!(shown.contains("documents indexed"), "{shown}");
    assert!(shown.trim_end().ends_with('1'), "{shown}");
}

#[test]
fn workspace_info_reports_documents_and_indexes() {
    let folder = with_books();
    search(&folder, ["query", "emma"]).exits(0);
    let info = value(folder.ghost(["workspace", "info"]).finish());
    let collections = json!([{ "name": "books", "documents": 2 }, { "name": "plays", "documents": 1 }]);
    assert_eq!(info["search"]["collections"], collections);
    assert!(info["indexBytes"].as_u64().expect("a number") > 0);
    assert!(on_a_terminal(&folder, "workspace info", "1").contains("3 documents in 2 collections"));
}

/// Changes the last bit of the first row.
fn flip(transaction: &WriteTransaction, table: TableDefinition<'_, &[u8], &[u8]>) {
    let mut table = transaction.open_table(table).expect("it is there");
    let (name, mut row) = {
        let (name, row) = table.first().expect("it can be read").expect("there is one");
        (name.value().to_vec(), row.value().to_vec())
    };
    *row.last_mut().expect("it is not empty") ^= 1;
    table.insert(&*name, &*row).expect("it can be written");
}

#[test]
fn the_check_finds_damage_to_searched_documents() {
    const DOCUMENTS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("search.documents");
    const CLEARED: TableDefinition<'_, u64, u32> = TableDefinition::new("search.cleared");
    const COLLECTIONS: TableDefinition<'_, &str, (u64, u64, u32)> = TableDefinition::new("search.collections");
    const COUNTERS: TableDefinition<'_, &str, (u64, u32)> = TableDefinition::new("search.counters");
    const LOG: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("search.index");
    type Change = fn(&WriteTransaction);
    let wrong: [(Change, &str); 6] = [
        (|t| flip(t, DOCUMENTS), "of \"books\" of g.search is damaged"),
        (|t| drop(t.open_table(DOCUMENTS).unwrap().pop_first().unwrap()), "of g.search counts 2 documents, but has 1"),
        (|t| drop(t.open_table(CLEARED).unwrap().insert(1, 7).unwrap()), "of g.search that was cleared is damaged"),
        (
            |t| drop(t.open_table(COLLECTIONS).unwrap().insert("books", (3, 4, 5)).unwrap()),
            "collection \"books\" of g.search is damaged",
        ),
        (
            |t| drop(t.open_table(COUNTERS).unwrap().insert("number", (3, 4)).unwrap()),
            "the counter \"number\" of g.search is damaged",
        ),
        (|t| flip(t, LOG), "the state of search.index is missing or damaged, or its row count is wrong"),
    ];
    for (change, reported) in wrong {
        let folder = with_books();
        search(&folder, ["query", "emma"]).exits(0);
        let command = |arguments: &[&str]| folder.ghost(["workspace"].iter().chain(arguments).copied()).finish();
        command(&["check"]).exits(0);
        command(&["backup", "b"]).exits(0);
        tamper(&folder, change);
        command(&["check"]).exits(1).says(reported);
        command(&["restore", "--force", "b"]).exits(0);
        command(&["check"]).exits(0);
        assert_eq!(value(search(&folder, ["query", "emma"])).as_array().expect("an array").len(), 2);
    }
}

#[test]
fn a_workspace_with_only_searched_documents_is_not_replaced_without_force() {
    let folder = with_books();
    let command = |arguments: &[&str]| folder.ghost(["workspace"].iter().chain(arguments).copied()).finish();
    command(&["backup", "b"]).exits(0);
    command(&["restore", "b"]).fails_clearly(1).says("not empty").says("--force");
}

#[test]
fn rebuild_includes_the_index_of_the_store() {
    let folder = Folder::new();
    let source = "export const main = () => { g.store.put('c', 'k', { text: 'tea' }); g.store.search('c', 'tea'); };";
    folder.script([], source).finish().exits(0);
    search(&folder, ["rebuild"]).exits(0).says("g.search from 0 documents").says("g.store.search from 1 document");
}
