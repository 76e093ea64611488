//! `ghost workspace backup` and `restore`.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use ghost_tests::folder::Folder;
use serde_json::Value;

use super::check::with_other_bytes;
use crate::commands::{FILLS_A_QUEUE, store, with_people, workspace};

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
    workspace(&folder, ["restore", "b"]).fails_clearly(1).says("is not empty");
    workspace(&folder, ["restore", "--force", "b"]).exits(0);
    folder.script([], seen).finish().exits(0).prints(&before);
    // A checkout that was live at the time of the backup still is, and can be committed.
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

#[test]
fn a_workspace_with_only_queue_items_is_not_replaced_without_force() {
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
fn a_backup_is_restored_into_an_empty_folder() {
    let folder = with_people();
    workspace(&folder, ["backup", "b"]).exits(0).prints("");
    let exported = store(&folder, ["export"]).stdout;
    fs::create_dir(folder.path().join("other")).expect("a folder");
    workspace(&folder, ["restore", "--workspace", "other", "b"]).exits(0);
    store(&folder, ["export", "--workspace", "other"]).exits(0).prints(&exported);
    assert!(folder.path().join("other/.ghost/.gitignore").exists());
}

#[test]
fn a_backup_is_sparse_where_nothing_was_written() {
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
    workspace(&folder, ["backup", "b"]).fails_clearly(1).says("b already exists").says("--force");
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

/// Files of unfinished work.
fn unfinished(folder: &Path) -> Vec<String> {
    let names =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name().display().to_string());
    names.filter(|name| name.contains("unfinished") || name.ends_with(".new")).collect()
}

#[test]
fn restoring_an_invalid_backup_changes_nothing() {
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

const WRITES_ON: &str =
    "export function main() { for (let i = 0; ; i++) { g.store.put('c', `k${i}`, i); console.log(`stored ${i};`); } }";

#[test]
fn a_backup_contains_every_write_reported_before_it_began() {
    let folder = Folder::new();
    let mut writer = folder.script([], WRITES_ON).start();
    for (round, upto) in ["stored 500;", "stored 3000;", "stored 9000;"].iter().enumerate() {
        writer.until_it_says(upto);
        let reported: usize = upto.trim_matches(|c: char| !c.is_ascii_digit()).parse().expect("a number");
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
        assert!(there.len() > reported, "{reported} were reported, {} are there", there.len());
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
