//! The permissions of a workspace and its key: only its user can read them.

use std::{
    fs,
    os::unix::{
        fs::{MetadataExt, PermissionsExt, chown, symlink},
        net::UnixListener,
    },
    path::{Path, PathBuf},
    process::Command,
};

use ghost_tests::{program, root};

use super::{AttackedProject, REPLACEMENTS, Replacement, make_node};

/// The modes of all entries of a workspace.
fn modes(path: &Path, found: &mut Vec<(PathBuf, u32)>) {
    let metadata = fs::symlink_metadata(path).expect("it is there");
    found.push((path.into(), metadata.mode() & 0o777));
    if metadata.is_dir() {
        for entry in fs::read_dir(path).expect("a folder") {
            modes(&entry.expect("an entry").path(), found);
        }
    }
}

#[test]
fn only_its_user_can_read_a_workspace() {
    let project = AttackedProject::new();
    let mut found = Vec::new();
    modes(&project.entry(""), &mut found);
    for (path, mode) in &found {
        let allowed = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(*mode, allowed, "{}", path.display());
    }
    assert!(found.len() > 10, "{found:?}");
    // One of an older version.
    for (path, _) in &found {
        let mode = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
    }
    project.run(&["run", "use.js"]).exits(0);
    for name in ["", "lock", "waiting", "data.redb", "notify", "index", "index/search", "index/search/mark"] {
        let mode = fs::metadata(project.entry(name)).expect("it is there").mode();
        assert_eq!(mode & 0o077, 0, "{name} has mode {mode:o}");
    }
    project.run(&["secret", "set", "orders"]).exits(0);
    assert_eq!(fs::metadata(project.entry("secrets")).expect("it is there").mode() & 0o777, 0o700);
}

#[test]
fn the_key_of_the_secrets_is_the_users_own_file() {
    if !root::is_available() {
        return;
    }
    for replacement in REPLACEMENTS {
        let project = AttackedProject::new();
        let key = project.folder.path().join(".config/ghost/key");
        let whole = fs::read(&key).expect("a key");
        project.folder.write("private/key", &whole);
        fs::set_permissions(project.path("private/key"), fs::Permissions::from_mode(0o600)).expect("a mode");
        if replacement != Replacement::OfAnotherUser {
            fs::remove_file(&key).expect("it is removed");
        }
        match replacement {
            Replacement::LinkToFile => symlink(project.path("private/key"), &key).expect("a link"),
            Replacement::LinkToFolder => symlink(project.path("private/letters"), &key).expect("a link"),
            Replacement::LinkToNothing => symlink(project.path("private/new"), &key).expect("a link"),
            Replacement::HardLink => fs::hard_link(project.path("private/key"), &key).expect("a link"),
            Replacement::Fifo => make_node(&key, &["p"]),
            Replacement::Device => make_node(&key, &["c", "1", "5"]),
            Replacement::Socket => drop(UnixListener::bind(&key).expect("a socket")),
            Replacement::Other => fs::create_dir(&key).expect("a folder"),
            Replacement::OfAnotherUser => chown(&key, Some(root::NOBODY), None).expect("root may give files away"),
        }
        let before = project.private();
        for words in [&["secret", "check", "orders"][..], &["secret", "set", "other"]] {
            let finished = project.run(words);
            assert!(
                !matches!(finished.status.code(), None | Some(0 | 124 | 137)),
                "{replacement:?} {words:?} {finished}"
            );
            finished.says("ghost/key").never_says("panicked").never_says("AGE-SECRET");
        }
        assert_eq!(project.private(), before, "{replacement:?}");
    }
}

/// It goes by way of a file, which other users could read as long as a reader takes its time.
#[test]
fn a_printed_backup_is_not_readable_by_other_users() {
    let project = AttackedProject::new();
    fs::create_dir(project.path("temporary")).expect("a folder");
    let mut shell = Command::new("sh");
    // The rest of it does not fit into the pipe.
    shell.args([
        "-c",
        "cd project; \"$GHOST\" workspace backup - | { head -c 1 >&2; stat -c %a \"$TMPDIR\"/.tmp*; cat >/dev/null; }",
    ]);
    let temporary = project.path("temporary").display().to_string();
    let ghost = program::binary().display().to_string();
    let finished = project.folder.command(shell).env("TMPDIR", &temporary).env("GHOST", &ghost).finish();
    finished.exits(0).prints("700\n");
    assert_eq!(fs::read_dir(temporary).expect("a folder").count(), 0);
}
