//! Tests of what scripts can't reach: creating, locking, damage, loss.

mod commits;
pub(super) mod operation;
pub(super) mod recorder;
mod removal;
mod sharing;

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use tempfile::{TempDir, tempdir};

use super::{
    Create, LostCalls, Session, TransactionEnd, Workspace,
    database::{self, Database},
    folder,
    process_lock::{ProcessLock, Tried},
};
use crate::{
    Error, ErrorCode,
    data::store,
    folder::{Folder, Trust},
};

fn later() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn workspace() -> (TempDir, Workspace) {
    let folder = tempdir().unwrap();
    let workspace = Workspace::at(folder.path(), Create::AtFirstUse);
    (folder, workspace)
}

fn session(workspace: &Workspace) -> Session {
    workspace.session(later(), Box::new(|_| {}))
}

fn put(session: &mut Session, key: &str, data: &str) -> Result<(), Error> {
    session.call(|tables| store::put(tables, "c", key, data))
}

fn get(session: &mut Session, key: &str) -> Result<Option<String>, Error> {
    Ok(session.call(|tables| store::get(tables, "c", key))?.map(|document| document.data))
}

/// Returns the error of a call in a new process.
fn refusal(folder: &Path, create: Create) -> Error {
    let workspace = Workspace::at(folder, create);
    let refused = session(&workspace).call(store::collections);
    refused.expect_err("the call should have been refused")
}

fn assert_no_workspace(folder: &Path, message: &str) {
    let error = refusal(folder, Create::AtFirstUse);
    assert_eq!((error.code, error.message.as_str()), (ErrorCode::NoWorkspace, message));
}

/// The folder of a workspace.
fn opened(folder: &Path) -> Folder {
    folder::of(folder, Trust::Named).open().unwrap()
}

fn data(folder: &Path) -> std::path::PathBuf {
    folder.join(".ghost/data.redb")
}

#[test]
fn nothing_is_made_before_a_call_needs_it() {
    let (folder, workspace) = workspace();
    let mut session = session(&workspace);
    assert!(!folder.path().join(".ghost").exists());
    put(&mut session, "k", "1").unwrap();
    assert!(workspace.was_made());
    assert_eq!(fs::read_to_string(folder.path().join(".ghost/.gitignore")).unwrap(), "*\n");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing lies beside it");
}

#[test]
fn a_workspace_that_may_not_be_made_is_not() {
    let folder = tempdir().unwrap();
    let error = refusal(folder.path(), Create::Never);
    assert_eq!(error.code, ErrorCode::NoWorkspace);
    assert_eq!(error.message, "there is no workspace; to create one: ghost init");
    assert!(!folder.path().join(".ghost").exists());
}

#[test]
fn init_tells_whether_it_made_one() {
    let folder = tempdir().unwrap();
    assert!(Workspace::init(folder.path()).unwrap());
    assert!(!Workspace::init(folder.path()).unwrap());
    assert_no_workspace(&folder.path().join("missing"), "the workspace can't be created: the folder does not exist");
}

#[test]
fn the_nearest_workspace_is_found_from_below() {
    let folder = tempdir().unwrap();
    let below = folder.path().join("a/b");
    fs::create_dir_all(&below).unwrap();
    assert_eq!(Workspace::find(&below).unwrap(), None);
    Workspace::init(folder.path()).unwrap();
    let outer = fs::canonicalize(folder.path()).unwrap();
    assert_eq!(Workspace::find(&below).unwrap(), Some(outer.clone()));
    Workspace::init(&folder.path().join("a")).unwrap();
    assert_eq!(Workspace::find(&below).unwrap(), Some(outer.join("a")));
}

#[test]
fn what_was_written_is_there_after_reopening() {
    let (folder, workspace) = workspace();
    put(&mut session(&workspace), "k", "1").unwrap();
    drop(workspace);
    let workspace = Workspace::at(folder.path(), Create::Never);
    assert_eq!(get(&mut session(&workspace), "k").unwrap().as_deref(), Some("1"));
    assert_eq!(workspace.commits(), 0);
    workspace.close().unwrap();
    assert_eq!(get(&mut session(&workspace), "k").unwrap().as_deref(), Some("1"));
}

#[test]
fn nothing_that_lies_around_gets_into_a_new_workspace() {
    let folder = tempdir().unwrap();
    let prepared = folder.path().join(".ghost.new");
    fs::create_dir(&prepared).unwrap();
    fs::write(prepared.join("data.redb"), vec![7; 100_000]).unwrap();
    Workspace::init(folder.path()).unwrap();
    assert_eq!(fs::read(prepared.join("data.redb")).unwrap(), vec![7; 100_000]);
    assert!(!Workspace::init(folder.path()).unwrap());
    let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".ghost", ".ghost.new"]);
}

#[test]
fn a_damaged_workspace_is_refused() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join(".ghost"), "").unwrap();
    assert_no_workspace(folder.path(), ".ghost is not a folder");
    fs::remove_file(folder.path().join(".ghost")).unwrap();

    Workspace::init(folder.path()).unwrap();
    let whole = fs::read(data(folder.path())).unwrap();
    let damaged = "the workspace can't be opened: its database (.ghost/data.redb) is damaged";
    for damage in
        [Vec::new(), b"garbage".to_vec(), vec![7; 50_000], whole[..whole.len() / 2].to_vec(), whole[..100].to_vec()]
    {
        fs::write(data(folder.path()), damage).unwrap();
        assert_no_workspace(folder.path(), damaged);
    }
    fs::remove_file(data(folder.path())).unwrap();
    assert_no_workspace(folder.path(), "the workspace has no database; to start again, remove .ghost");
    fs::create_dir(data(folder.path())).unwrap();
    assert_no_workspace(folder.path(), "the workspace can't be opened: .ghost/data.redb is a folder, not a file");
}

#[test]
fn a_newer_format_is_refused() {
    let folder = tempdir().unwrap();
    Workspace::init(folder.path()).unwrap();
    let database: Database = database::open(&opened(folder.path())).unwrap().unwrap();
    let transaction = database.begin().unwrap();
    transaction.open_table(redb::TableDefinition::<&str, u64>::new("meta")).unwrap().insert("format", 2).unwrap();
    transaction.commit().unwrap();
    database.close_without_writing(());
    assert_no_workspace(folder.path(), "the workspace has format 2, this ghost reads 1");
}
