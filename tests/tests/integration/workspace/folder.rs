//! The workspace in a folder as it is: found or made, another user's, damaged.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown},
    path::{Path, PathBuf},
};

use ghost_tests::{folder::Folder, root};

const PUT: &str = "export const main = (key = 'k') => { g.store.put('c', key, 1); };";
const COUNT: &str = "export const main = () => g.store.count('c');";

/// A folder in which one document was stored.
fn with_one_document() -> Folder {
    let folder = Folder::new();
    folder.script([], PUT).finish().exits(0);
    folder
}

fn database(folder: &Folder) -> PathBuf {
    folder.path().join(".ghost/data.redb")
}

#[test]
fn init_makes_a_workspace_once() {
    let folder = Folder::new();
    folder.ghost(["init"]).finish().exits(0);
    for file in [".ghost", "g.d.ts", "jsconfig.json"] {
        assert!(folder.path().join(file).exists(), "{file} is missing");
    }
    assert!(fs::read_to_string(folder.path().join(".ghost/.gitignore")).expect("it ignores itself").contains('*'));

    folder.script([], PUT).finish().exits(0).never_says("made a workspace");
    folder.write("jsconfig.json", "{\"mine\": true}");
    folder.ghost(["init"]).finish().exits(0);
    folder.script([], COUNT).finish().exits(0).prints("1\n");
    let config = fs::read_to_string(folder.path().join("jsconfig.json")).expect("it is still there");
    assert_eq!(config, "{\"mine\": true}");
}

#[test]
fn init_takes_a_folder() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("project")).expect("a folder");
    folder.ghost(["init", "project"]).finish().exits(0);
    assert!(folder.path().join("project/.ghost").is_dir());
    assert!(!folder.path().join(".ghost").exists());
    folder.ghost(["init", "missing/deep"]).finish().never_says("panicked");
}

#[test]
fn a_script_that_needs_no_workspace_makes_none() {
    let folder = Folder::new();
    folder.script([], "export const main = () => 1;").finish().exits(0);
    assert!(!folder.path().join(".ghost").exists());
}

#[test]
fn the_workspace_is_found_from_the_folder_upward() {
    let folder = with_one_document();
    let deep = folder.path().join("a/b");
    fs::create_dir_all(&deep).expect("folders");
    fs::write(deep.join("count.js"), COUNT).expect("a script");
    folder.write("run.sh", "cd a/b && exec \"$GHOST\" run count.js");
    let mut shell = std::process::Command::new("sh");
    shell.arg("run.sh");
    let ghost = ghost_tests::program::binary().display().to_string();
    folder.command(shell).env("GHOST", &ghost).finish().exits(0).prints("1\n");
    assert!(!deep.join(".ghost").exists());
}

#[test]
fn a_flag_or_a_variable_names_the_folder() {
    let folder = with_one_document();
    fs::create_dir(folder.path().join("other")).expect("a folder");
    folder.script(["--workspace", "other"], COUNT).finish().exits(0).prints("0\n");
    assert!(folder.path().join("other/.ghost").is_dir());
    folder.script(["--workspace", "other"], PUT).finish().exits(0);
    folder.script(["--workspace", "other"], PUT).env("GHOST_WORKSPACE", "missing").finish().exits(0);
    folder.script([], COUNT).env("GHOST_WORKSPACE", "other").finish().exits(0).prints("1\n");
    let missing = "missing: the folder does not exist; to create it with a workspace: ghost init missing";
    folder.script(["--workspace", "missing"], COUNT).finish().fails_clearly(2).says(&format!("--workspace {missing}"));
    let named = folder.script([], COUNT).env("GHOST_WORKSPACE", "missing").finish();
    named.fails_clearly(2).says(&format!("GHOST_WORKSPACE {missing}"));
}

#[test]
fn without_a_workspace_nothing_is_made() {
    let folder = Folder::new();
    folder.script(["--no-workspace"], PUT).finish().exits(1).says("NO_WORKSPACE");
    assert!(!folder.path().join(".ghost").exists());
    folder.script(["--no-workspace"], PUT).env("GHOST_WORKSPACE", ".").finish().exits(1).says("NO_WORKSPACE");
    folder.script(["--no-workspace", "--workspace", "."], PUT).finish().exits(2);
}

#[test]
fn a_database_cut_short_is_an_error_and_is_left_as_it_is() {
    for length in [0, 1, 100, 4096, 5000] {
        let folder = with_one_document();
        let whole = fs::read(database(&folder)).expect("a database");
        fs::write(database(&folder), &whole[..length.min(whole.len())]).expect("it is cut");
        let finished = folder.script([], COUNT).finish();
        finished.fails_clearly(1).says("damaged");
        let after = fs::read(database(&folder)).expect("it is still there");
        assert_eq!(after.len(), length.min(whole.len()), "nothing was made of what is damaged");
    }
}

#[test]
fn a_database_that_is_longer_than_it_may_be_is_an_error() {
    let folder = with_one_document();
    let file = fs::OpenOptions::new().write(true).open(database(&folder)).expect("a database");
    file.set_len(2 << 40).expect("a file of nothing needs no place");
    for way in
        [["store", "count", "c"].as_slice(), &["workspace", "check"], &["workspace", "compact"], &["workspace", "info"]]
    {
        let finished = folder.ghost(way.iter().copied()).finish();
        let said = "its database (.ghost/data.redb) has 2199023255552 bytes, the limit is 1099511627776";
        let finished = finished.says(said);
        assert!(matches!(finished.status.code(), Some(1 | 2)), "{finished}");
    }
}

#[test]
fn a_file_that_is_no_database_is_an_error_and_is_left_as_it_is() {
    let folder = with_one_document();
    let text = "my shopping list\n".repeat(1000);
    fs::write(database(&folder), &text).expect("it is replaced");
    folder.script([], PUT).finish().fails_clearly(1).says("damaged");
    assert_eq!(fs::read_to_string(database(&folder)).expect("it is still there"), text);
}

#[test]
fn a_workspace_of_a_newer_format_is_refused_and_keeps_what_it_holds() {
    let folder = with_one_document();
    let format = set_format(&folder, 1_000);
    folder.script([], PUT).finish().fails_clearly(1).says("format 1000");
    assert_eq!(set_format(&folder, format), 1_000, "it was left as it is");
    folder.script([], COUNT).finish().exits(0).prints("1\n");
}

/// Writes the number of the format, as a newer ghost would, and returns the one before.
fn set_format(folder: &Folder, format: u64) -> u64 {
    let database = redb::Database::open(database(folder)).expect("a database");
    let transaction = database.begin_write().expect("a transaction");
    let before = {
        let mut table = transaction.open_table(redb::TableDefinition::<&str, u64>::new("meta")).expect("a table");
        table.insert("format", format).expect("it is written").map(|before| before.value())
    };
    transaction.commit().expect("it is saved");
    before.expect("this is where the format stands")
}

#[test]
fn flipped_bits_are_never_a_panic() {
    let folder = Folder::new();
    let fill = "export const main = () => { for (let i = 0; i < 500; i++) g.store.put('c', `k${i}`, { i, text: 'x'.repeat(100) }); };";
    folder.script([], fill).finish().exits(0);
    let whole = fs::read(database(&folder)).expect("a database");
    let read = "export const main = () => { g.store.put('c', 'new', 1); return [g.store.list('c', { limit: 1000, sort: 'key' }).length, g.store.collections()]; };";
    for step in 0..24 {
        let mut damaged = whole.clone();
        for index in (step * 97..damaged.len()).step_by(2048) {
            damaged[index] ^= 0xff;
        }
        fs::write(database(&folder), &damaged).expect("it is damaged");
        let finished = folder.script(["--timeout", "20s"], read).finish().never_says("panicked");
        assert!(matches!(finished.status.code(), Some(0 | 1)), "{finished}");
    }
    fs::write(database(&folder), &whole).expect("it is whole again");
    folder.script([], "export const main = () => g.store.count('c');").finish().exits(0).prints("500\n");
}

#[test]
fn something_else_in_the_place_of_the_workspace_is_an_error() {
    let folder = Folder::new();
    folder.write(".ghost", "a file");
    folder.script([], PUT).finish().fails_clearly(1).says(".ghost");
    folder.ghost(["init"]).finish().fails_clearly(2).says(".ghost");

    let folder = with_one_document();
    fs::remove_file(database(&folder)).expect("it is removed");
    fs::create_dir(database(&folder)).expect("a folder");
    folder.script([], PUT).finish().fails_clearly(1);
}

#[test]
fn a_folder_that_can_not_be_written_is_an_error() {
    if !root::is_available() {
        return;
    }
    let folder = Folder::new();
    folder.write("put.js", PUT);
    let finished = root::ghost_as_nobody(&folder, ["run", "put.js"]).finish();
    finished.fails_clearly(1).says("ermission");
    root::ghost_as_nobody(&folder, ["init"]).finish().fails_clearly(2).says("ermission");
    assert!(!folder.path().join(".ghost").exists());
}

#[test]
fn a_workspace_that_can_not_be_written_is_an_error() {
    if !root::is_available() {
        return;
    }
    let folder = with_one_document();
    folder.write("count.js", COUNT);
    give_to(&folder.path().join(".ghost"), root::NOBODY);
    for file in fs::read_dir(folder.path().join(".ghost")).expect("a workspace") {
        let file = file.expect("a file").path();
        fs::set_permissions(file, fs::Permissions::from_mode(0o444)).expect("a mode");
    }
    root::ghost_as_nobody(&folder, ["run", "count.js"]).finish().fails_clearly(1).says("ermission");
}

#[test]
fn a_workspace_of_another_user_is_refused() {
    if !root::is_available() {
        return;
    }
    let folder = with_one_document();
    give_to(&folder.path().join(".ghost"), root::NOBODY);
    folder.script([], COUNT).finish().fails_clearly(2).says("another user");
    root::ghost_without_proc(&folder, ["run", "script.js"]).finish().fails_clearly(2).says("another user");
    folder.script(["--workspace", "."], COUNT).finish().exits(0).prints("1\n");
}

fn give_to(path: &Path, user: u32) {
    chown(path, Some(user), Some(user)).expect("root may give files away");
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a folder") {
            give_to(&entry.expect("an entry").path(), user);
        }
    }
}

#[test]
fn a_workspace_that_is_removed_during_a_run_fails_the_run_and_can_be_made_again() {
    let folder = with_one_document();
    let source = "export async function main() { console.log('begun'); for (let i = 0; ; i++) { \
                  g.store.put('c', `k${i}`, { text: 'tea' }); g.store.search('c', 'tea', { limit: 1 }); \
                  await new Promise((resolve) => setTimeout(resolve, 2)); } }";
    let mut running = folder.script(["--timeout", "60s"], source).start();
    running.until_it_says("begun");
    let workspace = folder.path().join(".ghost");
    // Removing it fails while the run creates files in it.
    while fs::remove_dir_all(&workspace).is_err() && workspace.join("data.redb").exists() {}
    running.finish().exits(1).says("removed or replaced");
    folder.ghost(["init"]).finish().exits(0);
    folder.script([], COUNT).finish().exits(0).prints("0\n");
}
