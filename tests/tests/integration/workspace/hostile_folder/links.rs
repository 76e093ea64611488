//! Links in a workspace, and in its place: no command follows them.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    process::Command,
};

use ghost_tests::folder::Folder;

use super::{AttackedProject, COMMANDS, Replacement};

#[test]
fn a_read_only_command_empties_no_file_behind_a_link() {
    let project = AttackedProject::new();
    for name in ["lock", "waiting", "notify", "data.redb"] {
        assert!(project.replace(name, false, Replacement::LinkToFile));
        let refused = project.run(&["store", "list", "notes"]);
        assert_eq!(fs::read_to_string(project.path("private/letter")).expect("it is there"), "dear diary", "{refused}");
        refused.exits(2).says(&format!(".ghost/{name} is a link"));
        fs::remove_file(project.entry(name)).expect("the link");
        fs::copy(project.kept(), project.entry("data.redb")).expect("a copy");
    }
    project.run(&["store", "list", "notes"]).exits(0);
}

#[test]
fn a_prepared_folder_does_not_become_the_workspace() {
    let folder = Folder::new();
    let prepared = folder.path().join(".ghost.new");
    fs::create_dir(&prepared).expect("a folder");
    fs::set_permissions(&prepared, fs::Permissions::from_mode(0o777)).expect("a mode");
    folder.write("letter", "dear diary");
    symlink(folder.path().join("letter"), prepared.join("data.redb")).expect("a link");
    symlink(folder.path().join("letter"), prepared.join("lock")).expect("a link");
    folder.script([], "export const main = () => g.store.put('c', 'k', 1);").finish().exits(0);
    assert_eq!(fs::read_to_string(folder.path().join("letter")).expect("a letter"), "dear diary");
    assert!(prepared.join("data.redb").is_symlink(), "it is as it was");
    assert_eq!(fs::metadata(folder.path().join(".ghost")).expect("a workspace").mode() & 0o777, 0o700);
}

#[test]
fn a_workspace_that_is_a_link_is_used_only_where_it_is_named() {
    let project = AttackedProject::new();
    fs::rename(project.entry(""), project.path("elsewhere")).expect("it is moved");
    symlink(project.path("elsewhere"), project.path("project/.ghost")).expect("a link");
    let before = project.private();
    for words in COMMANDS {
        let finished = project.run(words);
        assert_ne!(finished.status.code(), Some(0), "{words:?}");
        finished.says("a link");
    }
    assert_eq!(project.private(), before);
    let named = project.run(&["store", "list", "notes", "--workspace", "."]).exits(0);
    assert!(named.stdout.contains("tea"), "{named}");
}

#[test]
fn a_link_to_nothing_makes_no_workspace_behind_it() {
    let project = AttackedProject::new();
    fs::rename(project.entry(""), project.path("elsewhere")).expect("it is moved");
    symlink(project.path("private/new"), project.path("project/.ghost")).expect("a link");
    for words in [&["run", "use.js"][..], &["init"], &["secret", "set", "a"], &["run", "--workspace", ".", "use.js"]] {
        assert_ne!(project.run(words).status.code(), Some(0), "{words:?}");
        assert!(!project.path("private/new").exists(), "{words:?}");
    }
}

#[test]
fn init_writes_through_no_link() {
    let folder = Folder::new();
    for (name, target) in [("g.d.ts", "letter"), ("jsconfig.json", "letter"), ("jsconfig.json", "new")] {
        let path = folder.path().join(name);
        folder.write("letter", "dear diary");
        symlink(folder.path().join(target), &path).expect("a link");
        let finished = folder.ghost(["init"]).finish();
        assert_eq!(fs::read_to_string(folder.path().join("letter")).expect("a letter"), "dear diary", "{finished}");
        assert!(!folder.path().join("new").exists());
        assert!(path.is_symlink(), "it is as it was");
        fs::remove_file(path).expect("the link");
    }
    let hard = folder.path().join("g.d.ts");
    let _none_yet = fs::remove_file(&hard);
    fs::hard_link(folder.path().join("letter"), &hard).expect("a link");
    folder.ghost(["init"]).finish().exits(0);
    assert_eq!(fs::read_to_string(folder.path().join("letter")).expect("a letter"), "dear diary");
}

/// The folder is swapped for a link and back while commands open it.
#[test]
fn a_workspace_that_is_swapped_while_it_is_opened_leads_nowhere() {
    let project = AttackedProject::new();
    let trap = project.path("trap");
    fs::create_dir(&trap).expect("a folder");
    for name in ["lock", "waiting", "notify", "data.redb", "data.redb.new"] {
        symlink(project.path("private/letter"), trap.join(name)).expect("a link");
    }
    for name in ["index", "secrets"] {
        symlink(project.path("private/letters"), trap.join(name)).expect("a link");
    }
    let swap = "while :; do mv project/.ghost real; mv trap project/.ghost; mv project/.ghost trap; \
                ln -s ../private project/.ghost; rm project/.ghost; mv real project/.ghost; done";
    let mut shell = Command::new("sh");
    shell.args(["-c", swap]);
    let swapping = project.folder.command(shell).start();
    let before = project.private();
    for _ in 0..20 {
        for words in [COMMANDS[0], COMMANDS[1], COMMANDS[13]] {
            let finished = project.run(words);
            assert!(!matches!(finished.status.code(), None | Some(124 | 137)), "it hangs: {finished}");
            assert_eq!(project.private(), before, "{finished}");
        }
    }
    swapping.signal(9);
    swapping.finish();
}
