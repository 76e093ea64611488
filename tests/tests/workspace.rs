//! The workspace in a folder as it is: found or made, shared, interrupted, damaged, full.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown},
    path::{Path, PathBuf},
    time::Duration,
};

use ghost_tests::{
    folder::{Finished, Folder},
    root,
};

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

/// A run that failed as it should: a message, nothing on standard output, no fault of the program.
#[track_caller]
fn fails_clearly(finished: Finished, status: i32) -> Finished {
    let finished = finished.exits(status).prints("").never_says("panicked").never_says("INTERNAL");
    assert!(finished.stderr.to_lowercase().contains("error"), "{finished}");
    finished
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
    fails_clearly(folder.script(["--workspace", "missing"], COUNT).finish(), 1);
}

#[test]
fn without_a_workspace_nothing_is_made() {
    let folder = Folder::new();
    folder.script(["--no-workspace"], PUT).finish().exits(1).says("NO_WORKSPACE");
    assert!(!folder.path().join(".ghost").exists());
    folder.script(["--no-workspace", "--workspace", "."], PUT).finish().exits(2);
}

#[test]
fn what_a_failed_script_stored_stays() {
    let folder = Folder::new();
    let source = "export function main() { g.store.put('c', 'k', 1); throw new Error('on purpose'); }";
    folder.script([], source).finish().exits(1).says("on purpose");
    folder.script([], COUNT).finish().exits(0).prints("1\n");
}

/// A script that stores documents, says so, and goes on for long.
fn stores_and_goes_on(then: &str) -> String {
    format!(
        "export async function main() {{ for (let i = 0; i < 100; i++) g.store.put('c', `k${{i}}`, i); \
         console.log('stored'); {then} }}"
    )
}

#[test]
fn an_interrupted_script_ends_with_130_and_keeps_what_it_stored() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        for then in ["for (;;) {}", "await new Promise((resolve) => setTimeout(resolve, 60_000));"] {
            let folder = Folder::new();
            let mut running = folder.script([], &stores_and_goes_on(then)).start();
            running.until_it_says("stored");
            running.signal(signal);
            let finished = running.finish().exits(130).prints("").never_says("panicked");
            assert!(finished.time < Duration::from_secs(20), "{finished}");
            folder.script([], COUNT).finish().exits(0).prints("100\n");
        }
    }
}

#[test]
fn a_killed_script_loses_nothing_that_it_told_of() {
    let folder = Folder::new();
    let source = "export function main() { for (let i = 0; ; i++) { g.store.put('c', `k${i}`, i); console.log(`stored ${i};`); } }";
    let mut running = folder.script([], source).start();
    running.until_it_says("stored 2000;");
    running.signal(libc::SIGKILL);
    let finished = running.finish();
    assert_eq!(finished.status.code(), None, "it was killed");
    let told = finished.stderr.matches(';').count();
    let check = "export const main = () => { const n = g.store.count('c'); for (let i = 0; i < n; i++) if (g.store.get('c', `k${i}`)?.data !== i) return -1; return n; };";
    let counted = folder.script([], check).finish().exits(0).never_says("repair");
    let kept: usize = counted.stdout.trim().parse().expect("a number");
    assert!(kept >= told, "{told} were told of, {kept} are there");
}

#[test]
fn a_script_that_logs_every_document_pays_no_commit_for_each() {
    let source = "export function main() { for (let i = 0; i < 10_000; i++) { g.store.put('c', `k${i}`, { i }); console.log(`stored ${i}`); } }";
    let finished = Folder::new().script(["--verbose"], source).finish().exits(0).says("stored 9999");
    let commits = finished.stderr.split("commits=").nth(1).expect("the figures are told");
    let commits: u128 =
        commits.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default().parse().expect("a number");
    let allowed = finished.time.as_millis() / 50 + 3;
    assert!((1..=allowed).contains(&commits), "{commits} commits in {:?}", finished.time);
    let lines: Vec<_> = finished.stderr.lines().filter(|line| line.starts_with("stored ")).collect();
    assert_eq!(lines.len(), 10_000);
    assert!(lines.iter().enumerate().all(|(index, line)| *line == format!("stored {index}")), "in order");
}

#[test]
fn a_process_waits_for_another_that_ends_in_time() {
    let folder = Folder::new();
    let mut first =
        folder.script([], &stores_and_goes_on("await new Promise((resolve) => setTimeout(resolve, 1_500));")).start();
    first.until_it_says("stored");
    folder.write("count.js", COUNT);
    folder.ghost(["run", "count.js"]).finish().exits(0).prints("100\n");
    first.finish().exits(0);
}

#[test]
fn a_process_that_waits_for_another_too_long_is_told_that_it_is_busy() {
    let folder = Folder::new();
    let mut first = folder.script([], &stores_and_goes_on("for (;;) {}")).start();
    first.until_it_says("stored");
    folder.write("count.js", COUNT);
    let waited = folder.ghost(["run", "count.js"]).finish().exits(1).prints("").says("BUSY");
    assert!((Duration::from_secs(5)..Duration::from_secs(15)).contains(&waited.time), "{waited}");
    folder.write("short.js", COUNT);
    folder.ghost(["run", "--timeout", "1s", "short.js"]).finish().exits(3).says("1s");
    first.signal(libc::SIGTERM);
    first.finish().exits(130);
    folder.ghost(["run", "count.js"]).finish().exits(0).prints("100\n");
}

#[test]
fn a_database_cut_short_is_an_error_and_is_left_as_it_is() {
    for length in [0, 1, 100, 4096, 5000] {
        let folder = with_one_document();
        let whole = fs::read(database(&folder)).expect("a database");
        fs::write(database(&folder), &whole[..length.min(whole.len())]).expect("it is cut");
        let finished = folder.script([], COUNT).finish();
        fails_clearly(finished, 1).says("damaged");
        let after = fs::read(database(&folder)).expect("it is still there");
        assert_eq!(after.len(), length.min(whole.len()), "nothing was made of what is damaged");
    }
}

#[test]
fn a_file_that_is_no_database_is_an_error_and_is_left_as_it_is() {
    let folder = with_one_document();
    let text = "my shopping list\n".repeat(1000);
    fs::write(database(&folder), &text).expect("it is replaced");
    fails_clearly(folder.script([], PUT).finish(), 1).says("damaged");
    assert_eq!(fs::read_to_string(database(&folder)).expect("it is still there"), text);
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
    fails_clearly(folder.script([], PUT).finish(), 1).says("can't be made");
    fails_clearly(folder.ghost(["init"]).finish(), 2).says("can't be made");

    let folder = with_one_document();
    fs::remove_file(database(&folder)).expect("it is removed");
    fs::create_dir(database(&folder)).expect("a folder");
    fails_clearly(folder.script([], PUT).finish(), 1);
}

#[test]
fn a_folder_that_can_not_be_written_is_an_error() {
    if !root::is_available() {
        return;
    }
    let folder = Folder::new();
    folder.write("put.js", PUT);
    let finished = root::ghost_as_nobody(&folder, ["run", "put.js"]).finish();
    fails_clearly(finished, 1).says("ermission");
    fails_clearly(root::ghost_as_nobody(&folder, ["init"]).finish(), 2).says("ermission");
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
    fails_clearly(root::ghost_as_nobody(&folder, ["run", "count.js"]).finish(), 1).says("ermission");
}

#[test]
fn a_workspace_of_another_user_is_refused() {
    if !root::is_available() {
        return;
    }
    let folder = with_one_document();
    give_to(&folder.path().join(".ghost"), root::NOBODY);
    fails_clearly(folder.script([], COUNT).finish(), 2).says("another user");
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
fn a_full_disk_ends_the_run_and_loses_nothing_that_was_saved() {
    if !root::is_available() {
        return;
    }
    let folder = Folder::new();
    folder.write("put.js", PUT);
    folder.write("count.js", COUNT);
    folder.write(
        "fill.js",
        "export async function main() { for (let i = 0; i < 1000; i++) { try { g.store.put('c', `fill${i}`, 'x'.repeat(100_000)); } catch { console.log('was caught'); } \
         if (i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 60)); } }",
    );
    let commands = "$GHOST run ../put.js; echo $?; $GHOST run ../fill.js; echo $?; $GHOST run ../count.js >counted 2>&1; echo $?; \
                    rm -f counted; $GHOST run ../count.js";
    let finished =
        root::with_small_disk(&folder, "8m", commands).finish().never_says("panicked").never_says("was caught");
    let lines: Vec<_> = finished.stdout.lines().collect();
    assert_eq!(lines[..2], ["0", "1"], "{finished}");
    assert_eq!(lines[2], "0", "the workspace serves the next run\n{finished}");
    let counted: u32 = lines[3].parse().expect("a number");
    assert!((1..1000).contains(&counted), "{finished}");
    finished.says("not saved");
}

#[test]
fn a_disk_that_is_full_from_the_start_is_an_error() {
    if !root::is_available() {
        return;
    }
    let folder = Folder::new();
    folder.write("put.js", PUT);
    let commands = "head -c 2000000 /dev/zero >filler 2>/dev/null; $GHOST run ../put.js; exit $?";
    fails_clearly(root::with_small_disk(&folder, "64k", commands).finish(), 1);
}
