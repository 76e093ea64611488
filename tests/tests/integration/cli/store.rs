//! `ghost store`, and `ghost workspace info`, as users and their pipes run them.

use std::{fs, time::Duration};

use ghost_tests::folder::Folder;
use serde_json::json;

use crate::commands::{FILLS_A_QUEUE, import, keys, store, value, with_people, workspace};

#[test]
fn get_prints_the_data_on_one_line() {
    let folder = with_people();
    store(&folder, ["get", "people", "ada"]).exits(0).prints("{\"born\":1815}\n");
    let document = value(store(&folder, ["get", "people", "ada", "--json"]));
    assert_eq!((&document["key"], &document["data"]), (&json!("ada"), &json!({ "born": 1815 })));
    assert_eq!(document["createdAt"], document["updatedAt"]);
}

#[test]
fn a_missing_document_or_collection_is_reported() {
    let folder = with_people();
    store(&folder, ["get", "people", "bob"]).fails_clearly(1).says("collection \"people\" has no document \"bob\"");
    store(&folder, ["list", "animals"]).fails_clearly(1).says("there is no collection \"animals\"");
    store(&folder, ["export", "animals"]).fails_clearly(1).says("there is no collection \"animals\"");
    for command in
        [&["get", "animals", "ada"][..], &["delete", "animals", "ada"], &["count", "animals"], &["clear", "animals"]]
    {
        store(&folder, command.iter().copied()).fails_clearly(1).says("there is no collection \"animals\"");
    }
    let deleted = store(&folder, ["delete", "people", "bob", "ada"]).fails_clearly(1);
    deleted.says("collection \"people\" has no document \"bob\"").says("deleted 1 document of people");
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
fn json_members_have_a_fixed_order() {
    let folder = with_people();
    let info = workspace(&folder, ["info"]).exits(0).stdout;
    let places: Vec<_> = ["path", "format", "fileBytes", "store", "name", "documents", "bytes", "queue"]
        .map(|member| info.find(&format!("\"{member}\":")).expect("it is there"))
        .into();
    assert!(places.is_sorted(), "{info}");
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
fn invalid_json_is_refused() {
    let folder = Folder::new();
    store(&folder, ["put", "people", "ada", "{born}"]).fails_clearly(2).says("not JSON");
    store(&folder, ["put", "people", "ada", "@missing"]).fails_clearly(2).says("the file does not exist");
    store(&folder, ["put", "", "ada", "1"]).fails_clearly(2).says("collection must not be empty");
    assert!(!folder.path().join(".ghost/data.redb").exists() || value(store(&folder, ["collections"])) == json!([]));
}

#[test]
fn only_commands_that_store_create_a_workspace() {
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
    store(&folder, ["import", "--key", "id", "rows.jsonl"]).fails_clearly(2).says("--key requires a collection");
}

#[test]
fn a_collection_argument_takes_precedence_over_that_of_a_line() {
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
        (b"{\"key\":\"k\",\"data\":1}\n", "the line names no collection"),
        (b"{\"born\":1815}\n", "--key"),
        (b"{\"collection\":\"c\",\"key\":\"\",\"data\":1}\n", "key must not be empty"),
        (b"{\"collection\":\"c\",\"key\":\"k\",\"data\":1,\"createdAt\":\"yesterday\"}\n", "createdAt is \"yesterday\""),
        (b"{\"collection\":\"c\",\"key\":\"k\",\"data\":1,\"createdAt\":\"2020-01-01T00:00:00Z\",\"updatedAt\":\"2019-01-01T00:00:00Z\"}\n", "createdAt is later"),
        (b"\xff\n", "not UTF-8"),
    ];
    for (line, why) in wrong {
        let folder = Folder::new();
        let lines = [good.as_bytes(), line, later.as_bytes()].concat();
        import(&folder, &[], lines).fails_clearly(1).says("line 2").says(why).says("1 document was imported");
        assert_eq!(keys(&value(store(&folder, ["list", "c"]))), ["k"], "{why}");
    }
}

#[test]
fn a_missing_file_creates_no_workspace() {
    let folder = Folder::new();
    store(&folder, ["import", "people"]).fails_clearly(2).says("ghost store import people -");
    store(&folder, ["import", "people", "missing.jsonl"]).fails_clearly(2).says("the file does not exist");
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
fn an_export_ends_when_its_reader_closes_the_pipe() {
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
fn info_reports_collections_and_queues() {
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

#[test]
fn search_prints_the_documents_of_a_collection_that_match_a_query() {
    let folder = with_people();
    let put = "export const main = () => { g.store.put('teas', 'green', { name: 'sencha', year: 2001 }); \
               g.store.put('teas', 'black', { name: 'assam' }); g.store.put('pots', 'green', { name: 'sencha' }); };";
    folder.script([], put).finish().exits(0);
    let found = crate::commands::json(&folder, &["store", "search", "teas", "name:sen* AND year:[2000 TO *]"]);
    assert_eq!(keys(&found), ["green"]);
    assert_eq!(found[0]["data"], serde_json::json!({ "name": "sencha", "year": 2001 }));
    assert_eq!(keys(&crate::commands::json(&folder, &["store", "search", "teas", "*:*", "--limit", "1"])).len(), 1);
    store(&folder, ["search", "none", "tea"]).exits(1).says("there is no collection");
    store(&folder, ["search", "teas", "name:(tea"]).exits(1).says("name:(tea");
}
