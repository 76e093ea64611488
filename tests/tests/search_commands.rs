//! `ghost search`, as people and their pipes use it.

use std::process::Command;

use ghost_tests::{
    folder::{Finished, Folder},
    program::binary,
};
use serde_json::{Value, json};

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

#[track_caller]
fn value(finished: Finished) -> Value {
    serde_json::from_str(&finished.exits(0).stdout).expect("one JSON value")
}

/// What a command shows on a terminal of 80 columns.
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
fn query_marks_what_was_looked_for_on_a_terminal() {
    let folder = with_books();
    let shown = on_a_terminal(&folder, "search query 'te* AND _key:kim'", "");
    assert!(shown.contains("Green \u{1b}[1;33mTea\u{1b}[0m"), "{shown}");
    assert!(shown.contains("\u{1b}[1;33mkim\u{1b}[0m"), "{shown}");
    assert!(shown.contains("note: \\x1b[2J \u{1b}[1;33mtea\u{1b}[0m"), "{shown}");
    assert!(shown.ends_with("result 1\n"), "{shown}");
    let plain = on_a_terminal(&folder, "search query emma", "1");
    assert!(plain.contains("books/emma") && plain.contains("results 1 to 2") && !plain.contains('\u{1b}'), "{plain}");
    assert_eq!(on_a_terminal(&folder, "search query nonesuch", "1"), "nothing was found\n");
    let json = on_a_terminal(&folder, "search query tea --json", "1");
    assert_eq!(serde_json::from_str::<Value>(&json).expect("JSON")[0]["key"], "kim");
}

#[test]
fn a_malformed_query_is_told_with_a_caret() {
    let folder = with_books();
    let told = search(&folder, ["query", "title:(tea"]).fails_clearly(1);
    assert!(told.stderr.contains("title:(tea\n          ^"), "{told}");
    search(&folder, ["query", ""]).fails_clearly(1).says("*:*");
    search(&folder, ["query", "x", "--limit", "-1"]).fails_clearly(2);
    search(&folder, ["query"]).fails_clearly(2);
}

#[test]
fn info_tells_how_large_the_index_is_and_rebuild_makes_it_anew() {
    let folder = with_books();
    let before = value(search(&folder, ["info"]));
    assert_eq!((&before["documents"], &before["waiting"], &before["bytes"]), (&json!(3), &Value::Null, &json!(0)));
    search(&folder, ["rebuild"]).exits(0).says("3 documents");
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
        search(&folder, command.iter().copied()).fails_clearly(1).says("ghost init");
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
