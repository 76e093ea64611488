//! Scripts in other languages: `tests/components`, each built by the tools that its users have.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use ghost_tests::{
    component,
    folder::{Finished, Folder},
    program::repository,
    servers::{or_skip, postgres},
};
use serde_json::{Value, json};

const BOOKS: &str = r#"[
  { "key": "kim", "title": "Kim", "author": "Rudyard Kipling", "year": 1901 },
  { "key": "emma", "title": "Emma", "author": "Jane Austen", "year": 1815 },
  { "key": "jungle", "title": "The Jungle Book", "author": "Rudyard Kipling", "year": 1894 }
]"#;

/// Builds a component.
fn built(name: &str) -> Result<Vec<u8>> {
    let built = Command::new(repository().join("tests/components/build")).arg(name).output();
    let built = built.context("tests/components/build does not run")?;
    let said = String::from_utf8_lossy(&built.stderr);
    ensure!(built.status.success(), "tests/components/build {name}: {}", said.trim());
    let made = fs::read(Path::new(String::from_utf8(built.stdout)?.trim()))?;
    component::of_module(made)
}

/// A folder with a component, and with what it reads.
fn folder_with(name: &str) -> Option<Folder> {
    let component = or_skip(built(name))?;
    let folder = Folder::new();
    folder.write("books.wasm", component);
    folder.write("books.json", BOOKS);
    Some(folder)
}

fn run(folder: &Folder, flags: &[&str], query: &str) -> Finished {
    let words = ["run"].iter().chain(flags).copied();
    folder.ghost(words.chain(["--input", "@books.json", "books.wasm", query])).finish()
}

/// Its parts: calls, one of them asynchronous, the console, a result.
#[track_caller]
fn works(folder: &Folder, flags: &[&str]) {
    let finished = run(folder, flags, "author:kipling").exits(0).says("2 of 3 books match");
    let result: Value = serde_json::from_str(&finished.stdout).expect("a result");
    let mut read: Vec<_> = result["read"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    read.sort_unstable();
    assert_eq!((read, &result["meanYear"]), (vec!["jungle", "kim"], &1897.into()), "{finished}");
    folder.ghost(["store", "count", "books"]).finish().exits(0).prints("3\n");
    let emma = folder.ghost(["store", "get", "books", "emma"]).finish().exits(0).stdout;
    let emma: Value = serde_json::from_str(&emma).expect("a document");
    assert_eq!(emma["author"], "Jane Austen", "{emma}");
    folder.ghost(["store", "clear", "books"]).finish().exits(0);
}

#[track_caller]
fn is_of_the_local_world(folder: &Folder, flags: &[&str]) {
    let shown = folder.ghost(["inspect", "books.wasm", "--json"].iter().chain(flags).copied()).finish().exits(0).stdout;
    let shown: Value = serde_json::from_str(&shown).expect("it prints JSON");
    let facts = ["world", "mcp", "builtInEngine", "bundle"].map(|fact| &shown[fact]);
    assert_eq!(facts, [&"local-script".into(), &true.into(), &false.into(), &Value::Null]);
    let imports: Vec<_> = shown["imports"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(
        ["console", "queue", "search", "store"].iter().all(|name| imports.contains(&&*format!("ghost:g/{name}@0.1.0")))
    );
    assert!(imports.iter().all(|name| name.starts_with("ghost:g/") || name.starts_with("wasi:")), "{imports:?}");
}

/// Errors of the script, and of its calls.
#[track_caller]
fn fails_clearly(folder: &Folder) {
    let fails =
        |input: &str, query| folder.ghost(["run", "--input", input, "books.wasm", query]).finish().fails_clearly(1);
    folder.ghost(["run", "books.wasm"]).finish().fails_clearly(1).says("TypeError: ").says("arguments");
    fails("[{\"key\": \"\"}]", "kim").says("GError [INVALID_ARGUMENT]: key must not be empty");
    fails("[]", "year:[1900 TO").says("GError [QUERY_SYNTAX]: ").says("details: {\"position\":5}");
}

#[test]
fn a_component_in_rust_runs() {
    let Some(folder) = folder_with("rust") else { return };
    works(&folder, &[]);
    works(&folder, &["--origin", "mcp"]);
    is_of_the_local_world(&folder, &[]);
    fails_clearly(&folder);
    run(&folder, &[], "author:nobody").exits(1).prints("").says("error: the script's component trapped: `unreachable`");
}

/// Python's interpreter takes more memory to compile than a run has by default. The next runs take it from the cache.
#[test]
fn a_component_in_python_runs() {
    let Some(folder) = folder_with("python") else { return };
    let inspected = folder.ghost(["inspect", "books.wasm"]).finish();
    inspected
        .fails_clearly(2)
        .says("compiling the component takes more memory than the limit of 256 MiB allows (--max-memory)");
    is_of_the_local_world(&folder, &["--max-memory", "512M"]);
    works(&folder, &[]);
    works(&folder, &["--origin", "mcp"]);
    fails_clearly(&folder);
    let divided = run(&folder, &[], "author:nobody").fails_clearly(1);
    divided.says("ZeroDivisionError: ").says("at main (books.py:").says("at run (books.py:");
}

#[test]
fn a_component_in_rust_reads_a_database_unless_it_comes_from_an_ai_client() {
    let Some(server) = postgres::or_skip() else { return };
    let Some(folder) = folder_with("rust-external") else { return };
    let shown = folder.ghost(["inspect", "books.wasm"]).finish().exits(0).stdout;
    assert!(shown.contains("world    script\nmcp      does not run"), "{shown}");
    let source = json!({ "secret": "db", "statement": format!("select '{BOOKS}'::json") }).to_string();
    let run = |origin| {
        let words = ["run", "--origin", origin, "--input", &source, "books.wasm", "author:kipling"];
        folder.ghost(words).env("GHOST_SECRET_DB", &server.connection).finish()
    };
    run("local").exits(0).says("2 of 3 books match");
    run("mcp").fails_clearly(2).says(
        "books.wasm: the component imports ghost:g/sqldb@0.1.0: a script of MCP origin can't use external systems",
    );
}
