//! `--read-only`: every method that writes is blocked, and the others are not.

use std::collections::BTreeMap;

use ghost_tests::{component::wit, folder::Folder};
use serde_json::json;

use super::client::{Client, workspace};

/// Each function of the local interfaces: how a script reaches it, and whether it writes.
const FUNCTIONS: &[(&str, &str, bool)] = &[
    ("store.put", "g.store.put('c', 'new', 1)", true),
    ("store.get", "g.store.get('c', 'k')", false),
    ("store.list", "g.store.list('c')", false),
    ("store.all", "[...g.store.all('c')]", false),
    ("store.update", "g.store.update('c', 'k', (data) => data)", true),
    // Only `update` calls these two.
    ("store.replace", "g.store.update('c', 'k', () => 2)", true),
    ("store.remove", "g.store.update('c', 'k', () => undefined)", true),
    ("store.search", "g.store.search('c', 'one')", false),
    ("store.delete", "g.store.delete('c', 'missing')", true),
    ("store.count", "g.store.count('c')", false),
    ("store.clear", "g.store.clear('missing')", true),
    ("store.collections", "g.store.collections()", false),
    ("queue.enqueue", "g.queue.enqueue('q', 1)", true),
    ("queue.dequeue", "g.queue.dequeue('empty')", true),
    ("queue.commit", "g.queue.commit(1)", true),
    ("queue.abort", "g.queue.abort(1)", true),
    ("queue.peek", "g.queue.peek('q')", false),
    ("queue.count", "g.queue.count('q')", false),
    ("queue.clear", "g.queue.clear('empty')", true),
    ("queue.list", "g.queue.list('q')", false),
    ("queue.queues", "g.queue.queues()", false),
    ("queue.dead-letter", "g.queue.deadLetter('q')", false),
    ("queue.retry", "g.queue.retry('q', 1)", true),
    ("queue.wait-for-item", "await g.queue.waitForItem('empty', { timeoutMs: 0 })", true),
    ("search.index", "g.search.index({ _collection: 'c', _key: 'new', a: 1 })", true),
    ("search.query", "g.search.query('one')", false),
    ("search.delete", "g.search.delete('c', 'missing')", true),
    ("search.delete-by-collection", "g.search.deleteByCollection('missing')", true),
    ("search.count", "g.search.count()", false),
    ("search.clear", "g.search.clear()", true),
];

const FILL: &str = "export function main() {
    g.store.put('c', 'k', 'one'); g.search.index({ _collection: 'c', _key: 'k', a: 'one' });
    g.queue.enqueue('q', 1); g.queue.enqueue('q', 2, { maxRetries: 0 });
    g.queue.abort(g.queue.dequeue('q').id);
}";

const CONTENT: &str = "export const main = () => [
    g.store.list('c'), g.search.query('*:*'), g.queue.list('q'), g.queue.deadLetter('q'), g.queue.queues(), g.store.collections(),
]";

/// The functions of the WIT.
fn functions() -> Vec<String> {
    let (resolve, package) = wit();
    let of = |interface: &str| {
        let functions = &resolve.interfaces[resolve.packages[package].interfaces[interface]].functions;
        functions.keys().map(|name| format!("{interface}.{name}")).collect::<Vec<_>>()
    };
    ["store", "queue", "search"].iter().flat_map(|interface| of(interface)).collect()
}

#[test]
fn every_function_that_writes_is_blocked() {
    let listed: Vec<_> = FUNCTIONS.iter().map(|(name, ..)| (*name).to_owned()).collect();
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    assert_eq!(sorted(listed), sorted(functions()), "the list has each function of the WIT");
    let folder = workspace();
    folder.ghost(["run", "-e", FILL]).finish().exits(0);
    let content = |folder: &Folder| folder.ghost(["run", "-e", CONTENT]).finish().exits(0).stdout;
    let before = content(&folder);
    let mut client = Client::connect(&folder, &["--read-only"]);
    let mut codes = BTreeMap::new();
    for (name, call, _) in FUNCTIONS {
        let code = client.value(&format!(
            "export async function main() {{ try {{ {call}; return 'done'; }} catch (error) {{ return [error.code, error.message]; }} }}"
        ));
        codes.insert(*name, code);
    }
    for (name, call, writes) in FUNCTIONS {
        let code = &codes[name];
        match writes {
            true => {
                assert_eq!(code[0], "BLOCKED", "{call}: {code}");
                assert!(code[1].as_str().unwrap().contains("only read"), "{call}: {code}");
            }
            false => assert_eq!(*code, "done", "{call}"),
        }
    }
    client.ends_well();
    assert_eq!(content(&folder), before);
}

#[test]
fn without_a_workspace_the_reason_is_the_same() {
    let folder = Folder::new();
    let mut client = Client::connect(&folder, &["--read-only", "--no-workspace"]);
    let failed = client.run("export const main = () => g.store.put('c', 'k', 1)");
    assert_eq!(failed["error"]["code"], "BLOCKED");
    assert_eq!(client.run("export const main = () => g.store.get('c', 'k')")["error"]["code"], json!("NO_WORKSPACE"));
    client.ends_well();
}
