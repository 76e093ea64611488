//! The limit of what a run writes to its workspace: `--max-disk`.

use std::{fs, path::Path};

use ghost::{Limits, Origin};
use ghost_tests::folder::Folder;
use serde_json::Value;

use crate::commands::value;

/// How large all files of a folder are.
fn bytes(folder: &Path) -> u64 {
    let size = |entry: fs::DirEntry| match entry.metadata().expect("it is there") {
        metadata if metadata.is_dir() => bytes(&entry.path()),
        metadata => metadata.len(),
    };
    fs::read_dir(folder).expect("a folder").map(|entry| size(entry.expect("an entry"))).sum()
}

fn workspace_bytes(folder: &Folder) -> u64 {
    bytes(&folder.path().join(".ghost"))
}

/// Calls a function with a number until it fails.
const UNTIL: &str = "
function until(f) {
  for (let i = 0; ; i++) {
    try { f(i); } catch (error) {
      if (error.code !== 'LIMIT') throw error;
      return { calls: i, message: error.message };
    }
  }
}";

fn until(limit: &str, call: &str) -> (Folder, Value) {
    let folder = Folder::new();
    let script = format!("{UNTIL}\nexport const main = () => until({call});");
    let ended = value(folder.script(["--max-disk", limit], &script).finish());
    (folder, ended)
}

#[test]
fn a_run_writes_no_more_than_it_may() {
    let (folder, ended) = until("1M", "(i) => g.store.put('c', `k${i}`, 'x'.repeat(100_000))");
    assert_eq!(ended["calls"], 10);
    let message = ended["message"].as_str().expect("a text");
    assert!(message.starts_with("the run would have written 110"), "{message}");
    assert!(message.ends_with(" bytes to the workspace, the limit is 1048576"), "{message}");
    // Earlier writes are kept, and the next run may write again.
    let script =
        "export const main = () => { g.store.put('c', 'more', 'x'.repeat(900_000)); return g.store.count('c'); };";
    folder.script(["--max-disk", "1M"], script).finish().exits(0).prints("11\n");
}

#[test]
fn a_call_that_is_not_caught_fails_the_run_and_says_why() {
    let script = "export const main = () => g.store.put('c', 'k', 'x'.repeat(2000));";
    let finished = Folder::new().script(["--max-disk", "1K"], script).finish().exits(1);
    finished.says("GError [LIMIT]: the run would have written ").says("the limit is 1024");
}

#[test]
fn deleting_does_not_reduce_the_count() {
    let calls = "(i) => { g.store.put('c', 'k', 'x'.repeat(1_000_000)); g.store.delete('c', 'k'); }";
    let (folder, ended) = until("64M", calls);
    assert_eq!(ended["calls"], 67);
    let size = workspace_bytes(&folder);
    assert!(size < 2 * (64 << 20), "{size} bytes");
    // Deleting goes on.
    let script = format!(
        "{UNTIL}
        export function main() {{
          const put = (i) => g.store.put('c', `k${{i}}`, 'x'.repeat(1000));
          const {{ calls }} = until(put);
          for (let i = 0; i < calls; i++) g.store.delete('c', `k${{i}}`);
          g.store.clear('c');
          return [g.store.count('c'), until(put).calls];
        }}"
    );
    folder.script(["--max-disk", "100K"], &script).finish().exits(0).prints("[0,0]\n");
}

/// What lies on the disk is at most twice what was counted, whatever is written, and not the place that an empty workspace takes:
/// the database grows by doubling, and a value beyond a page takes up to twice its size.
#[test]
fn every_way_to_write_is_counted() {
    let key = "`${String(i).padStart(8, '0')}`";
    for call in [
        format!("(i) => g.store.put('c', {key}, 0)"),
        format!("(i) => g.store.put(`c${{i}}`, {key}, 0)"),
        format!("(i) => g.store.put('c', {key} + 'k'.repeat(2000), 0)"),
        "(i) => g.store.put('c', 'k', 'x'.repeat(5000))".into(),
        format!("(i) => g.store.put('c', {key}, 'x'.repeat(4200))"),
        format!("(i) => g.store.update('c', {key}, () => 'x'.repeat(4200))"),
        "(i) => g.store.update('c', 'k', () => i)".into(),
        "(i) => g.queue.enqueue('q', 0)".into(),
        "(i) => g.queue.enqueue(`q${i}`, 0)".into(),
        "(i) => g.queue.enqueue('q', 'x'.repeat(5000))".into(),
        format!("(i) => g.search.index({{ _collection: 'c', _key: {key} }})"),
        format!("(i) => g.search.index({{ _collection: 'c', _key: {key}, text: 'x'.repeat(5000) }})"),
        "(i) => { if (i === 0) for (let n = 0; n < 100; n++) g.queue.enqueue('q', 0, { maxRetries: 1e9 });
                  g.queue.abort(g.queue.dequeue('q').id, 'x'.repeat(8000)); }"
            .into(),
    ] {
        let folder = is_counted("8M", 8 << 20, &call);
        assert!(!folder.path().join(".ghost/index").exists());
    }
}

/// The files of an index count with their size.
#[test]
fn every_way_to_search_is_counted() {
    let words = "Array.from({ length: 500 }, (_, n) => `w${i}x${n}`).join(' ')";
    for (given, limit, call) in [
        // Many words that are in no other document: the index is larger than they are.
        ("2M", 2 << 20, format!("(i) => {{ g.store.put('c', `k${{i}}`, {words}); if (i % 9 === 0) g.store.search('c', 'tea'); }}")),
        ("2M", 2 << 20, format!("(i) => {{ g.search.index({{ _collection: 'c', _key: `k${{i}}`, a: {words} }}); if (i % 9 === 0) g.search.query('tea'); }}")),
        ("1M", 1 << 20, "(i) => { g.store.put('c', `k${i}`, { text: `tea${i}` }); if (i % 100 === 0) g.store.search('c', 'tea1'); }".into()),
        // One that is replaced each time. A search takes milliseconds: there are fewer of them.
        ("100K", 100 << 10, "(i) => { g.store.put('c', 'k', { text: `tea${i}` }); g.store.search('c', 'tea1'); }".into()),
    ] {
        let folder = is_counted(given, limit, &call);
        let info = value(folder.ghost(["workspace", "info"]).finish());
        let documents = |namespace: &str| -> u64 {
            let collections = info[namespace]["collections"].as_array().expect("an array");
            collections.iter().map(|collection| collection["bytes"].as_u64().unwrap_or(0)).sum()
        };
        let kept = documents("store") + info["indexBytes"].as_u64().expect("a number");
        // The last commit of the index is counted after it was written.
        assert!(kept < limit + limit / 5, "{kept} bytes after {call}: {info}");
    }
}

fn is_counted(given: &str, limit: u64, call: &str) -> Folder {
    let (folder, ended) = until(given, call);
    let size = workspace_bytes(&folder);
    eprintln!("{size:>10} bytes after {} of {call}", ended["calls"]);
    assert!(size < 2 * limit + (5 << 18), "{size} bytes after {call}");
    folder
}

#[test]
fn an_index_that_a_search_makes_is_counted() {
    let folder = Folder::new();
    let fill = "export const main = () => { for (let i = 0; i < 25_000; i++) g.store.put('c', `k${i}`, { text: `tea number ${i}` }); };";
    folder.script([], fill).finish().exits(0);
    let search = format!(
        "{UNTIL}\nexport const main = () => [until(() => g.store.search('c', 'tea')), until(() => g.store.search('c', 'tea'))];"
    );
    let ended = value(folder.script(["--max-disk", "10K"], &search).finish());
    for at in 0..2 {
        assert_eq!(ended[at]["calls"], 0, "{ended}");
        let message = ended[at]["message"].as_str().expect("a text");
        assert!(message.ends_with("the limit is 10240"), "{message}");
    }
    let found = "export const main = () => g.store.search('c', 'number', { limit: 100_000 }).length;";
    folder.script([], found).finish().exits(0).prints("25000\n");
    // The index exists now, and a query writes nothing.
    folder.script(["--max-disk", "10K"], found).finish().exits(0).prints("25000\n");
}

#[test]
fn a_script_of_an_ai_client_may_write_a_gibibyte() {
    assert_eq!(Limits::of(Origin::Mcp).disk, Some(1 << 30));
    assert_eq!(Limits::of(Origin::Local).disk, None);
    let script = format!("{UNTIL}\nexport const main = () => until(() => g.store.put('c', 'k', 'x'.repeat(500_000)));");
    let ended = value(Folder::new().script(["--origin", "mcp", "--max-disk", "2M"], &script).finish());
    assert_eq!(ended["calls"], 4);
}

#[test]
fn info_reports_the_space_in_use() {
    let folder = Folder::new();
    let script = "export const main = () => { g.store.put('c', 'k', { text: 'tea' }); g.store.search('c', 'tea'); };";
    folder.script([], script).finish().exits(0);
    folder.ghost(["secret", "set", "orders"]).stdin("postgres://user:secret@host/orders").finish().exits(0);
    let info = value(folder.ghost(["workspace", "info"]).finish());
    let [database, index, secrets, total] =
        ["fileBytes", "indexBytes", "secretBytes", "totalBytes"].map(|name| info[name].as_u64().expect("a number"));
    assert!(database > 0 && index > 0 && secrets > 0, "{info}");
    // While it is measured, the lock holds the number of the process.
    assert!(total.abs_diff(workspace_bytes(&folder)) < 20, "{info}");
    assert!(total >= database + index + secrets, "{info}");
}
