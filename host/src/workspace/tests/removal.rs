//! The folder or the database is removed or replaced while the workspace is open.

use super::*;

/// A workspace with a document on disk and another one that is not saved yet.
fn with_an_unsaved_document() -> (TempDir, Workspace, Session) {
    let (folder, workspace) = workspace();
    let workspace = workspace.without_hurry();
    let mut session = session(&workspace);
    put(&mut session, "saved", "1").unwrap();
    session.save().unwrap();
    put(&mut session, "unsaved", "2").unwrap();
    (folder, workspace, session)
}

/// Asserts that the unsaved document is reported as lost.
fn assert_lost(session: &mut Session) {
    let lost = session.finish().unwrap_err();
    assert_eq!(lost.calls, 1);
    let said = "the workspace failed: its folder (.ghost) or its database was removed or replaced";
    assert_eq!(lost.message, said);
}

#[test]
fn a_commit_to_a_folder_that_was_removed_is_a_loss() {
    let (folder, workspace, mut run) = with_an_unsaved_document();
    fs::remove_dir_all(folder.path().join(".ghost")).unwrap();
    assert_lost(&mut run);
    let mut next = session(&workspace);
    put(&mut next, "next", "3").unwrap();
    next.save().unwrap();
    assert_eq!(get(&mut next, "saved").unwrap(), None, "the next run has a new workspace");
}

#[test]
fn a_commit_to_a_folder_that_was_moved_away_is_a_loss_and_is_undone() {
    let (folder, workspace, mut run) = with_an_unsaved_document();
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::rename(folder.path().join(".ghost"), elsewhere.join(".ghost")).unwrap();
    assert_lost(&mut run);
    drop((run, workspace));
    let moved = Workspace::at(&elsewhere, Create::Never);
    assert_eq!(get(&mut session(&moved), "saved").unwrap().as_deref(), Some("1"));
    assert_eq!(get(&mut session(&moved), "unsaved").unwrap(), None);
}

#[test]
fn a_commit_to_a_database_that_was_replaced_is_a_loss() {
    let (folder, workspace, mut run) = with_an_unsaved_document();
    let copy = folder.path().join("copy");
    fs::copy(data(folder.path()), &copy).unwrap();
    fs::rename(&copy, data(folder.path())).unwrap();
    assert_lost(&mut run);
    assert_eq!(get(&mut session(&workspace), "saved").unwrap().as_deref(), Some("1"));
}

#[test]
fn a_commit_to_a_database_that_was_removed_is_a_loss() {
    let (folder, _workspace, mut run) = with_an_unsaved_document();
    fs::remove_file(data(folder.path())).unwrap();
    assert_lost(&mut run);
    assert_no_workspace(folder.path(), "the workspace has no database; to start again, remove .ghost");
}

#[test]
fn files_that_a_process_leaves_in_a_removed_workspace_are_replaced() {
    let folder = tempdir().unwrap();
    let left = folder.path().join(".ghost");
    fs::create_dir_all(left.join("index/search")).unwrap();
    for name in ["lock", "waiting", "notify", "index/search/meta.json"] {
        fs::write(left.join(name), "x").unwrap();
    }
    assert!(!Workspace::at(folder.path(), Create::Never).exists().unwrap());
    assert!(Workspace::init(folder.path()).unwrap());
    assert!(!left.join("index").exists());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary folder is left");
}
