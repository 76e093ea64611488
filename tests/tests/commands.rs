//! `ghost store` and `ghost workspace`, as people and their pipes use them.

use std::{fs, os::unix::fs::MetadataExt, path::Path, time::Duration};

use ghost_tests::folder::{Finished, Folder};
use serde_json::{Value, json};

const WRITES_ON: &str =
    "export function main() { for (let i = 0; ; i++) { g.store.put('c', `k${i}`, i); console.log(`stored ${i};`); } }";

/// A folder with the documents ada and grace in the collection people.
fn with_people() -> Folder {
    let folder = Folder::new();
    store(&folder, ["put", "people", "ada", "{ \"born\": 1815 }"])
        .exits(0)
        .prints("")
        .says("made a workspace in .ghost");
    store(&folder, ["put", "people", "grace", "[1, 2]"]).exits(0).never_says("made a workspace");
    folder
}

fn store<'a>(folder: &Folder, arguments: impl IntoIterator<Item = &'a str>) -> Finished {
    folder.ghost(["store"].into_iter().chain(arguments)).finish().never_says("panicked")
}

fn workspace<'a>(folder: &Folder, arguments: impl IntoIterator<Item = &'a str>) -> Finished {
    folder.ghost(["workspace"].into_iter().chain(arguments)).finish().never_says("panicked")
}

fn import(folder: &Folder, arguments: &[&str], lines: impl Into<Vec<u8>>) -> Finished {
    folder.ghost(["store", "import"].into_iter().chain(arguments.iter().copied())).stdin(lines).finish()
}

#[track_caller]
fn value(finished: Finished) -> Value {
    serde_json::from_str(&finished.exits(0).stdout).expect("one JSON value")
}

fn keys(list: &Value) -> Vec<&str> {
    list.as_array().expect("an array").iter().map(|document| document["key"].as_str().expect("a key")).collect()
}

#[test]
fn get_prints_the_data_on_one_line() {
    let folder = with_people();
    store(&folder, ["get", "people", "ada"]).exits(0).prints("{\"born\":1815}\n");
    let document = value(store(&folder, ["get", "people", "ada", "--json"]));
    assert_eq!((&document["key"], &document["data"]), (&json!("ada"), &json!({ "born": 1815 })));
    assert_eq!(document["createdAt"], document["updatedAt"]);
}

#[test]
fn what_is_not_there_is_told() {
    let folder = with_people();
    store(&folder, ["get", "people", "bob"]).fails_clearly(1).says("people has no document bob");
    store(&folder, ["list", "animals"]).fails_clearly(1).says("there is no collection animals");
    store(&folder, ["export", "animals"]).fails_clearly(1).says("there is no collection animals");
    for command in
        [&["get", "animals", "ada"][..], &["delete", "animals", "ada"], &["count", "animals"], &["clear", "animals"]]
    {
        store(&folder, command.iter().copied()).fails_clearly(1).says("there is no collection animals");
    }
    let deleted = store(&folder, ["delete", "people", "bob", "ada"]).fails_clearly(1);
    deleted.says("people has no document bob").says("deleted 1 document of people");
    store(&folder, ["get", "people", "ada"]).exits(1);
}

#[test]
fn a_collection_is_counted_and_cleared() {
    let folder = with_people();
    store(&folder, ["put", "other", "k", "1"]).exits(0);
    store(&folder, ["count", "people"]).exits(0).prints("2\n");
    store(&folder, ["clear", "people"]).exits(0).prints("").says("deleted 2 documents of people");
    store(&folder, ["count", "people"]).fails_clearly(1);
    store(&folder, ["collections"]).prints("[{\"name\":\"other\",\"documents\":1}]\n");
}

#[test]
fn members_of_json_come_in_the_order_of_their_meaning() {
    let folder = with_people();
    let info = workspace(&folder, ["info"]).exits(0).stdout;
    let places: Vec<_> = ["path", "format", "fileBytes", "store", "name", "documents", "bytes", "queue"]
        .map(|member| info.find(&format!("\"{member}\":")).expect("it is there"))
        .into();
    assert!(places.is_sorted(), "{info}");
}

#[test]
fn check_and_compact_print_json_when_they_are_asked() {
    let folder = with_people();
    workspace(&folder, ["check", "--json"]).exits(0).prints("{\"problems\":0,\"first\":[]}\n");
    let compacted = value(workspace(&folder, ["compact", "--json"]));
    assert!(compacted["bytesBefore"].is_u64() && compacted["bytesAfter"].is_u64(), "{compacted}");
}

#[test]
fn a_backup_goes_to_a_pipe_and_never_to_a_folder() {
    let folder = with_people();
    workspace(&folder, ["backup", "."]).fails_clearly(1).says(". can't be written: it is a folder");
    workspace(&folder, ["backup", "--force", "."]).fails_clearly(1).says(". can't be written: it is a folder");
    let mut shell = std::process::Command::new("bash");
    shell
        .args(["-c", "\"$GHOST\" workspace backup - > copy && \"$GHOST\" workspace restore --workspace new/deep copy"]);
    let ghost = ghost_tests::program::binary().display().to_string();
    folder.command(shell).env("GHOST", &ghost).finish().exits(0);
    store(&folder, ["get", "people", "ada", "--workspace", "new/deep"]).exits(0).prints("{\"born\":1815}\n");
}

#[test]
fn a_script_sees_what_a_command_stored() {
    let folder = with_people();
    folder.script([], "export const main = () => g.store.get('people', 'ada').data.born;").finish().prints("1815\n");
}

#[test]
fn data_comes_from_a_file_or_standard_input() {
    let folder = with_people();
    folder.write("data.json", "\u{feff}{\n  \"a\": \"b c\"\n}\n");
    store(&folder, ["put", "people", "file", "@data.json"]).exits(0);
    store(&folder, ["get", "people", "file"]).prints("{\"a\":\"b c\"}\n");
    folder.ghost(["store", "put", "people", "pipe"]).stdin("-1.50").finish().exits(0);
    store(&folder, ["get", "people", "pipe"]).prints("-1.50\n");
}

#[test]
fn data_that_is_no_json_is_refused() {
    let folder = Folder::new();
    store(&folder, ["put", "people", "ada", "{born}"]).fails_clearly(2).says("not JSON");
    store(&folder, ["put", "people", "ada", "@missing"]).fails_clearly(2).says("there is no such file");
    store(&folder, ["put", "", "ada", "1"]).fails_clearly(2).says("collection must not be empty");
    assert!(!folder.path().join(".ghost/data.redb").exists() || value(store(&folder, ["collections"])) == json!([]));
}

#[test]
fn only_what_stores_makes_a_workspace() {
    let folder = Folder::new();
    for arguments in
        [&["store", "collections"][..], &["store", "list", "c"], &["store", "export"], &["store", "delete", "c", "k"]]
    {
        folder.ghost(arguments.iter().copied()).finish().fails_clearly(2).says("ghost init");
    }
    for arguments in [&["info"][..], &["check"], &["compact"], &["backup", "b"]] {
        workspace(&folder, arguments.iter().copied()).fails_clearly(2).says("ghost init");
    }
    assert!(!folder.path().join(".ghost").exists() && !folder.path().join("b").exists());
}

#[test]
fn list_has_the_options_of_scripts() {
    let folder = with_people();
    store(&folder, ["put", "people", "ada", "1"]).exits(0);
    assert_eq!(keys(&value(store(&folder, ["list", "people"]))), ["ada", "grace"]);
    assert_eq!(keys(&value(store(&folder, ["list", "people", "--sort", "createdAt"]))), ["grace", "ada"]);
    assert_eq!(
        keys(&value(store(&folder, ["list", "people", "--sort", "key", "--order", "asc", "--offset", "1"]))),
        ["grace"]
    );
    assert_eq!(keys(&value(store(&folder, ["list", "people", "--limit", "0"]))), [""; 0]);
    store(&folder, ["list", "people", "--limit", "-1"]).fails_clearly(2).says("--limit");
    store(&folder, ["list", "people", "--sort", "data"]).fails_clearly(2).says("createdAt");
}

#[test]
fn what_is_exported_can_be_imported_with_its_times() {
    let folder = with_people();
    store(&folder, ["put", "more things", "日本", "\"a\\nb\""]).exits(0);
    let exported = store(&folder, ["export"]).exits(0).stdout;
    assert_eq!(exported.lines().count(), 3);
    let other = Folder::new();
    import(&other, &[], exported.as_str()).exits(0).says("3 documents were imported").says("made a workspace");
    store(&other, ["export"]).exits(0).prints(&exported);
    import(&other, &[], exported.as_str()).exits(0);
    store(&other, ["export"]).exits(0).prints(&exported);
    workspace(&other, ["check"]).exits(0);
}

#[test]
fn imported_documents_are_ordered_by_their_times() {
    let folder = Folder::new();
    let line = |key: &str, time: &str| {
        format!(
            "{{\"collection\":\"c\",\"key\":\"{key}\",\"data\":1,\"createdAt\":\"{time}\",\"updatedAt\":\"{time}\"}}\n"
        )
    };
    let lines = line("new", "2020-01-01T00:00:00.000Z") + &line("old", "2000-01-01T00:00:00Z");
    import(&folder, &["-"], lines).exits(0);
    assert_eq!(keys(&value(store(&folder, ["list", "c"]))), ["new", "old"]);
    import(&folder, &["-"], line("old", "2021-01-01T00:00:00.000Z")).exits(0);
    assert_eq!(keys(&value(store(&folder, ["list", "c", "--sort", "createdAt"]))), ["old", "new"]);
    workspace(&folder, ["check"]).exits(0);
}

#[test]
fn bare_documents_are_imported_by_a_member() {
    let folder = Folder::new();
    folder.write("rows.jsonl", "{\"id\": 7, \"name\": \"a b\"}\n\n{\"id\":\"x\"}");
    store(&folder, ["import", "--key", "id", "rows", "rows.jsonl"]).exits(0).says("2 documents were imported");
    store(&folder, ["get", "rows", "7"]).prints("{\"id\":7,\"name\":\"a b\"}\n");
    store(&folder, ["import", "--key", "id", "rows.jsonl"]).fails_clearly(2).says("--key needs a collection");
}

#[test]
fn a_collection_on_the_command_line_goes_before_that_of_the_line() {
    let folder = with_people();
    let exported = store(&folder, ["export"]).stdout;
    import(&folder, &["copy", "-"], exported).exits(0);
    assert_eq!(
        value(store(&folder, ["collections"])),
        json!([{"name": "copy", "documents": 2}, {"name": "people", "documents": 2}])
    );
}

#[test]
fn a_wrong_line_ends_the_import_and_is_named() {
    let good = "{\"collection\":\"c\",\"key\":\"k\",\"data\":1}\n";
    let later = "{\"collection\":\"c\",\"key\":\"later\",\"data\":1}\n";
    let wrong: &[(&[u8], &str)] = &[
        (b"{\"collection\":\"c\",\n", "not JSON"),
        (b"{\"collection\":\"c\",\"data\":1}\n", "missing field `key`"),
        (b"{\"key\":\"k\",\"data\":1}\n", "it names no collection"),
        (b"{\"born\":1815}\n", "--key"),
        (b"{\"collection\":\"c\",\"key\":\"\",\"data\":1}\n", "key must not be empty"),
        (b"{\"collection\":\"c\",\"key\":\"k\",\"data\":1,\"createdAt\":\"yesterday\"}\n", "createdAt is \"yesterday\""),
        (b"{\"collection\":\"c\",\"key\":\"k\",\"data\":1,\"createdAt\":\"2020-01-01T00:00:00Z\",\"updatedAt\":\"2019-01-01T00:00:00Z\"}\n", "createdAt is later"),
        (b"\xff\n", "it is not UTF-8"),
    ];
    for (line, why) in wrong {
        let folder = Folder::new();
        let lines = [good.as_bytes(), line, later.as_bytes()].concat();
        import(&folder, &[], lines).fails_clearly(1).says("line 2").says(why).says("1 document was imported");
        assert_eq!(keys(&value(store(&folder, ["list", "c"]))), ["k"], "{why}");
    }
}

#[test]
fn a_missing_file_makes_nothing() {
    let folder = Folder::new();
    store(&folder, ["import", "people"]).fails_clearly(2).says("ghost store import people -");
    store(&folder, ["import", "people", "missing.jsonl"]).fails_clearly(2).says("there is no such file");
    assert!(!folder.path().join(".ghost").exists());
}

#[test]
fn an_interrupted_import_keeps_what_it_stored() {
    let folder = Folder::new();
    // The shell holds the pipe open, so that its end never comes. SIGTERM, because a shell has its children ignore SIGINT.
    let commands = "mkfifo pipe; exec 3<>pipe; \"$GHOST\" store import --key id c pipe & \
                    seq 1 1000 | sed 's/.*/{\"id\":&}/' >&3; \
                    until \"$GHOST\" store get c 1000 2>/dev/null; do sleep 0.05; done; kill -TERM $!; wait $!; echo $?";
    let mut shell = std::process::Command::new("bash");
    shell.args(["-c", commands]);
    let ghost = ghost_tests::program::binary().display().to_string();
    let finished = folder.command(shell).env("GHOST", &ghost).finish();
    assert!(finished.stdout.ends_with("\n130\n"), "{finished}");
    let finished = finished.says("interrupted; 1,000 documents were imported");
    assert!(finished.time < Duration::from_secs(30), "{finished}");
    assert_eq!(value(store(&folder, ["collections"])), json!([{"name": "c", "documents": 1000}]));
}

#[test]
fn a_reader_that_goes_ends_an_export() {
    let folder = Folder::new();
    let lines: String = (0..20_000).map(|i| format!("{{\"id\":{i}}}\n")).collect();
    import(&folder, &["--key", "id", "c", "-"], lines).exits(0);
    let mut shell = std::process::Command::new("bash");
    shell.args(["-c", "\"$GHOST\" store export | head -1 | wc -l; echo ${PIPESTATUS[0]}"]);
    let ghost = ghost_tests::program::binary().display().to_string();
    folder.command(shell).env("GHOST", &ghost).finish().exits(0).prints("1\n0\n").never_says("error");
    assert_eq!(store(&folder, ["export", "c"]).stdout.lines().count(), 20_000);
}

#[test]
fn info_tells_what_is_there() {
    let folder = with_people();
    let info = value(workspace(&folder, ["info"]));
    assert_eq!(info["format"], 1);
    assert_eq!(info["fileBytes"], fs::metadata(folder.path().join(".ghost/data.redb")).expect("it is there").len());
    let bytes = "ada{\"born\":1815}grace[1,2]".len();
    assert_eq!(info["store"]["collections"], json!([{"name": "people", "documents": 2, "bytes": bytes}]));
    assert_eq!(info["queue"]["queues"], json!([]));
    folder.script([], FILLS_A_QUEUE).finish().exits(0);
    let info = value(workspace(&folder, ["info"]));
    let queue = &info["queue"]["queues"][0];
    assert_eq!((&queue["name"], &queue["pending"]), (&json!("q"), &json!(2)));
    assert_eq!((&queue["checkedOut"], &queue["dead"]), (&json!(1), &json!(1)));
}

/// An item in each state, one of them large, and a second one pending.
const FILLS_A_QUEUE: &str = "export function main() {
  g.queue.enqueue('q', 'dead', { maxRetries: 0 });
  g.queue.abort(g.queue.dequeue('q').id, new Error('no luck'));
  g.queue.enqueue('q', 'taken');
  g.queue.dequeue('q');
  g.queue.enqueue('q', 'low', { priority: 0 });
  g.queue.enqueue('q', 'x'.repeat(9000));
}";

#[test]
fn a_backup_keeps_queues() {
    let folder = Folder::new();
    folder.script([], FILLS_A_QUEUE).finish().exits(0);
    let seen = "export function main() {
      const ids = [...g.queue.list('q'), ...g.queue.deadLetter('q')];
      return [g.queue.queues(), ids, g.queue.count('q')];
    }";
    let before = folder.script([], seen).finish().exits(0).stdout;
    workspace(&folder, ["backup", "b"]).exits(0);
    folder.script([], "export const main = () => g.queue.clear('q');").finish().exits(0);
    folder.script([], "export const main = () => g.queue.enqueue('other', 1);").finish().exits(0);
    workspace(&folder, ["restore", "b"]).fails_clearly(1).says("it is not empty");
    workspace(&folder, ["restore", "--force", "b"]).exits(0);
    folder.script([], seen).finish().exits(0).prints(&before);
    // What was checked out when the copy was made is so still, and can be committed.
    let rest = "export function main() { g.queue.commit(3); return g.queue.dequeue('q').data.length; }";
    folder.script([], rest).finish().exits(0).prints("9000\n");
    workspace(&folder, ["check"]).exits(0);
}

#[test]
fn a_workspace_whose_queues_were_emptied_may_be_replaced() {
    let folder = Folder::new();
    folder.script([], FILLS_A_QUEUE).finish().exits(0);
    workspace(&folder, ["backup", "b"]).exits(0);
    folder.script([], "export const main = () => g.queue.clear('q');").finish().exits(0);
    workspace(&folder, ["check"]).exits(0);
    workspace(&folder, ["restore", "b"]).exits(0);
}

/// Changes the tables of a workspace behind its back.
fn tamper(folder: &Folder, change: impl FnOnce(&redb::WriteTransaction)) {
    let redb = redb::Database::open(folder.path().join(".ghost/data.redb")).expect("it is a database");
    let transaction = redb.begin_write().expect("it can be written");
    change(&transaction);
    transaction.commit().expect("it is written");
}

/// Changes the last bit of a row.
fn flip(transaction: &redb::WriteTransaction, table: redb::TableDefinition<'_, u64, &[u8]>, key: u64) {
    use redb::ReadableTable;
    let mut table = transaction.open_table(table).expect("it is there");
    let mut row = table.get(key).expect("it can be read").expect("it is there").value().to_vec();
    *row.last_mut().expect("it is not empty") ^= 1;
    table.insert(key, row.as_slice()).expect("it can be written");
}

#[test]
fn the_check_finds_what_is_wrong_with_a_queue() {
    use redb::TableDefinition;
    const LEASES: TableDefinition<'_, (u64, u64), u32> = TableDefinition::new("queue.leases");
    const PENDING: TableDefinition<'_, (u64, u8, u64), &[u8]> = TableDefinition::new("queue.pending");
    const BODIES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("queue.bodies");
    const COUNTERS: TableDefinition<'_, &str, (u64, u32)> = TableDefinition::new("queue.counters");
    const NAMES: TableDefinition<'_, &str, (u64, u32)> = TableDefinition::new("queue.names");
    const QUEUES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("queue.queues");
    const CHECKED_OUT: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("queue.checked-out");
    type Change = fn(&redb::WriteTransaction);
    let wrong: [(Change, &str); 12] = [
        (
            |t| drop(t.open_table(LEASES).unwrap().pop_first().unwrap()),
            "checkout 3 has no lease, it would never expire",
        ),
        (|t| drop(t.open_table(LEASES).unwrap().insert((7, 7), 7).unwrap()), "1 leases are of no checkout"),
        (
            |t| drop(t.open_table(PENDING).unwrap().pop_first().unwrap()),
            "queue \"q\" counts 2 pending items, 1 are there",
        ),
        (|t| drop(t.open_table(PENDING).unwrap().insert((1, 0, 3), &b"?"[..]).unwrap()), "pending item 3 is damaged"),
        (|t| drop(t.open_table(BODIES).unwrap().pop_first().unwrap()), "pending item 5 has lost its data"),
        (
            |t| drop(t.open_table(BODIES).unwrap().insert(5, &b"{"[..]).unwrap()),
            "the data of pending item 5 is damaged",
        ),
        (
            |t| drop(t.open_table(COUNTERS).unwrap().insert("id", (4, 4)).unwrap()),
            "the counter \"id\" of the queues is damaged",
        ),
        (|t| drop(t.open_table(NAMES).unwrap().insert("q", (1, 1)).unwrap()), "the number of queue \"q\" is damaged"),
        (|t| flip(t, QUEUES, 1), "queue number 1 is damaged"),
        (|t| flip(t, CHECKED_OUT, 3), "checkout 3 is damaged"),
        (|t| flip(t, BODIES, 5), "the data of pending item 5 is damaged"),
        (|t| drop(t.open_table(NAMES).unwrap().remove("q").unwrap()), "1 queues can't be found by their names"),
    ];
    for (change, told) in wrong {
        let folder = Folder::new();
        folder.script([], FILLS_A_QUEUE).finish().exits(0);
        workspace(&folder, ["check"]).exits(0);
        workspace(&folder, ["backup", "b"]).exits(0);
        tamper(&folder, change);
        workspace(&folder, ["check"]).exits(1).says(told);
        workspace(&folder, ["restore", "--force", "b"]).exits(0);
        workspace(&folder, ["check"]).exits(0);
    }
}

#[test]
fn the_check_finds_what_is_wrong_with_the_store() {
    use redb::TableDefinition;
    const CLEARED: TableDefinition<'_, u64, u32> = TableDefinition::new("store.cleared");
    const COLLECTIONS: TableDefinition<'_, &str, (u64, u64, u32)> = TableDefinition::new("store.collections");
    const COUNTERS: TableDefinition<'_, &str, (u64, u32)> = TableDefinition::new("store.counters");
    type Change = fn(&redb::WriteTransaction);
    let wrong: [(Change, &str); 3] = [
        (
            |t| drop(t.open_table(CLEARED).unwrap().insert(1, 7).unwrap()),
            "the number 1 of a collection of g.store that was cleared is damaged",
        ),
        (
            |t| drop(t.open_table(COLLECTIONS).unwrap().insert("people", (3, 4, 5)).unwrap()),
            "collection \"people\" of g.store is damaged",
        ),
        (
            |t| drop(t.open_table(COUNTERS).unwrap().insert("sequence", (3, 4)).unwrap()),
            "the counter \"sequence\" of g.store is damaged",
        ),
    ];
    for (change, told) in wrong {
        let folder = with_people();
        workspace(&folder, ["check"]).exits(0);
        workspace(&folder, ["backup", "b"]).exits(0);
        tamper(&folder, change);
        workspace(&folder, ["check"]).exits(1).says(told);
        workspace(&folder, ["restore", "--force", "b"]).exits(0);
        workspace(&folder, ["check"]).exits(0);
    }
}

#[test]
fn a_whole_workspace_passes_the_check_also_after_a_clear() {
    let folder = with_people();
    folder.script([], "export const main = () => { for (let i = 0; i < 5000; i++) g.store.put('x', `${i}`, i); g.store.clear('x'); };").finish().exits(0);
    workspace(&folder, ["check"]).exits(0).prints("nothing is wrong with the workspace\n");
}

#[test]
fn damage_is_found_and_the_way_out_is_told() {
    let folder = with_people();
    let data = folder.path().join(".ghost/data.redb");
    fs::write(&data, with_other_bytes(fs::read(&data).expect("the database"))).expect("the database");
    workspace(&folder, ["check"]).fails_clearly(1).says("damaged").says("ghost workspace restore --force FILE");
    fs::write(&data, b"not a database").expect("the database");
    workspace(&folder, ["check"]).fails_clearly(1).says("damaged").says("ghost workspace restore --force FILE");
}

/// A database in which the document about ada is another, also where older pages still have it.
fn with_other_bytes(mut database: Vec<u8>) -> Vec<u8> {
    let places: Vec<_> = (0..database.len() - 4).filter(|place| &database[*place..place + 4] == b"1815").collect();
    assert!(!places.is_empty(), "the document is in it");
    places.into_iter().for_each(|place| database[place] = b'x');
    database
}

#[test]
fn compact_gives_back_what_was_deleted() {
    let folder = with_people();
    folder
        .script(
            [],
            "export const main = () => { for (let i = 0; i < 2000; i++) g.store.put('x', `${i}`, 'x'.repeat(5000)); };",
        )
        .finish()
        .exits(0);
    folder
        .script([], "export const main = () => { for (let i = 0; i < 2000; i++) g.store.delete('x', `${i}`); };")
        .finish()
        .exits(0);
    let size = || fs::metadata(folder.path().join(".ghost/data.redb")).expect("it is there").len();
    let before = size();
    workspace(&folder, ["compact"]).exits(0).says("");
    assert!(size() < before / 10, "{before} bytes before, {} after", size());
    workspace(&folder, ["check"]).exits(0);
    store(&folder, ["get", "people", "ada"]).prints("{\"born\":1815}\n");
}

#[test]
fn a_workspace_that_holds_only_items_is_not_replaced_unasked() {
    let folder = with_people();
    workspace(&folder, ["backup", "b"]).exits(0);
    fs::create_dir(folder.path().join("other")).expect("a folder");
    folder.ghost(["queue", "enqueue", "--workspace", "other", "q", "1"]).finish().exits(0);
    workspace(&folder, ["restore", "--workspace", "other", "b"]).fails_clearly(1).says("not empty");
    let kept = folder.ghost(["queue", "show", "--workspace", "other", "q"]).finish().exits(0).stdout;
    assert!(kept.contains("\"id\":1"), "{kept}");
    workspace(&folder, ["restore", "--workspace", "other", "--force", "b"]).exits(0);
}

#[test]
fn a_backup_is_restored_where_nothing_is() {
    let folder = with_people();
    workspace(&folder, ["backup", "b"]).exits(0).prints("");
    let exported = store(&folder, ["export"]).stdout;
    fs::create_dir(folder.path().join("other")).expect("a folder");
    workspace(&folder, ["restore", "--workspace", "other", "b"]).exits(0);
    store(&folder, ["export", "--workspace", "other"]).exits(0).prints(&exported);
    assert!(folder.path().join("other/.ghost/.gitignore").exists());
}

#[test]
fn a_backup_takes_no_place_for_what_was_never_written() {
    let folder = with_people();
    let exported = store(&folder, ["export"]).stdout;
    let database = fs::OpenOptions::new().write(true).open(folder.path().join(".ghost/data.redb")).expect("a database");
    database.set_len(1 << 30).expect("it is longer than it has to be");
    workspace(&folder, ["backup", "b"]).exits(0);
    let copy = fs::metadata(folder.path().join("b")).expect("a copy");
    assert_eq!(copy.len(), 1 << 30);
    let takes = copy.blocks() * 512;
    assert!(takes < 8 << 20, "the copy takes {takes} bytes");
    fs::create_dir(folder.path().join("other")).expect("a folder");
    workspace(&folder, ["restore", "--workspace", "other", "b"]).exits(0);
    store(&folder, ["export", "--workspace", "other"]).exits(0).prints(&exported);
    let restored = fs::metadata(folder.path().join("other/.ghost/data.redb")).expect("a database").blocks() * 512;
    assert!(restored < 8 << 20, "the database takes {restored} bytes");
}

#[test]
fn nothing_is_overwritten_without_force() {
    let folder = with_people();
    folder.write("b", "mine");
    workspace(&folder, ["backup", "b"]).fails_clearly(1).says("b exists already").says("--force");
    assert_eq!(fs::read(folder.path().join("b")).expect("it is mine"), b"mine");
    workspace(&folder, ["backup", "--force", "b"]).exits(0);
    store(&folder, ["put", "people", "later", "1"]).exits(0);
    workspace(&folder, ["restore", "b"]).fails_clearly(1).says("not empty").says("--force");
    store(&folder, ["get", "people", "later"]).prints("1\n");
    workspace(&folder, ["restore", "--force", "b"]).exits(0);
    store(&folder, ["get", "people", "later"]).exits(1);
    store(&folder, ["get", "people", "ada"]).exits(0);
}

#[test]
fn a_backup_that_can_not_be_written_leaves_nothing() {
    let folder = with_people();
    workspace(&folder, ["backup", "missing/b"])
        .fails_clearly(1)
        .says("missing/b can't be written: the folder does not exist");
    fs::create_dir(folder.path().join("d")).expect("a folder");
    workspace(&folder, ["backup", "--force", "d"]).fails_clearly(1).says("d can't be written");
    assert_eq!(unfinished(folder.path()), [""; 0]);
}

/// Files that something which was cut off left behind.
fn unfinished(folder: &Path) -> Vec<String> {
    let names =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name().display().to_string());
    names.filter(|name| name.contains("unfinished") || name.ends_with(".new")).collect()
}

#[test]
fn what_is_no_backup_changes_nothing() {
    let folder = with_people();
    workspace(&folder, ["backup", "b"]).exits(0);
    let good = fs::read(folder.path().join("b")).expect("the backup");
    folder.write("damaged", with_other_bytes(good.clone()));
    folder.write("cut", &good[..good.len() / 2]);
    folder.write("text", "not a backup");
    folder.write("empty", "");
    for file in ["damaged", "cut", "text", "empty", "missing", "."] {
        workspace(&folder, ["restore", "--force", file]).fails_clearly(1).says(file);
        store(&folder, ["get", "people", "ada"]).exits(0).prints("{\"born\":1815}\n");
        assert_eq!(unfinished(&folder.path().join(".ghost")), [""; 0], "{file}");
    }
    let other = Folder::new();
    let damaged = folder.path().join("damaged").display().to_string();
    workspace(&other, ["restore", &damaged]).fails_clearly(1).says("damaged");
    assert_eq!(fs::read_dir(other.path()).expect("a folder").count(), 0, "nothing is left of it");
}

#[test]
fn a_backup_of_a_newer_format_is_refused() {
    let folder = with_people();
    workspace(&folder, ["backup", "newer"]).exits(0);
    let redb = redb::Database::create(folder.path().join("newer")).expect("it is a database");
    let transaction = redb.begin_write().expect("it can be written");
    let meta = redb::TableDefinition::<&str, u64>::new("meta");
    transaction.open_table(meta).expect("the table").insert("format", 99).expect("the row");
    transaction.commit().expect("it is written");
    drop(redb);
    workspace(&folder, ["restore", "--force", "newer"]).fails_clearly(1).says("it has format 99, this ghost reads 1");
    store(&folder, ["get", "people", "ada"]).exits(0);
}

#[test]
fn a_damaged_workspace_can_be_replaced() {
    let folder = with_people();
    workspace(&folder, ["backup", "b"]).exits(0);
    folder.write(".ghost/data.redb", "not a database");
    workspace(&folder, ["restore", "b"]).fails_clearly(2).says("damaged");
    workspace(&folder, ["restore", "--force", "b"]).exits(0);
    store(&folder, ["get", "people", "ada"]).exits(0);
}

#[test]
fn a_backup_has_all_that_was_told_of_before_it_began() {
    let folder = Folder::new();
    let mut writer = folder.script([], WRITES_ON).start();
    for (round, upto) in ["stored 500;", "stored 3000;", "stored 9000;"].iter().enumerate() {
        writer.until_it_says(upto);
        let told: usize = upto.trim_matches(|c: char| !c.is_ascii_digit()).parse().expect("a number");
        let (file, other) = (format!("b{round}"), format!("r{round}"));
        workspace(&folder, ["backup", &file]).exits(0);
        fs::create_dir(folder.path().join(&other)).expect("a folder");
        workspace(&folder, ["restore", "--workspace", &other, &file]).exits(0);
        workspace(&folder, ["check", "--workspace", &other]).exits(0);
        let exported = store(&folder, ["export", "--workspace", &other]).exits(0).stdout;
        let mut there: Vec<u64> = exported
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["data"].as_u64().expect("a number"))
            .collect();
        there.sort_unstable();
        // In the order of writing, without a gap: no moment but one is in it.
        assert!(there.len() > told, "{told} were told of, {} are there", there.len());
        assert!(there.iter().enumerate().all(|(place, number)| place as u64 == *number));
    }
    writer.signal(libc::SIGKILL);
    writer.finish();
}

#[test]
fn another_process_sees_what_was_restored() {
    let folder = with_people();
    workspace(&folder, ["backup", "b"]).exits(0);
    store(&folder, ["put", "people", "ada", "\"changed\""]).exits(0);
    let source = "export async function main() { console.log(JSON.stringify(g.store.get('people', 'ada').data)); \
                  while (g.store.get('people', 'ada').data === 'changed') await new Promise((then) => setTimeout(then, 1)); \
                  return g.store.get('people', 'ada').data; }";
    let mut reader = folder.script([], source).start();
    reader.until_it_says("changed");
    workspace(&folder, ["restore", "--force", "b"]).exits(0);
    reader.finish().exits(0).prints("{\"born\":1815}\n");
}
