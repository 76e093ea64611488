//! What scripts can't reach: making, locking, damage, loss.

pub(super) mod operation;
pub(super) mod recorder;

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
    Create, Flushed, Lost, Session, Workspace,
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

/// What a call in a new process would be told.
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
    database.leave(());
    assert_no_workspace(folder.path(), "the workspace has format 2, this ghost reads 1");
}

#[test]
fn a_workspace_that_another_process_holds_is_busy() {
    let folder = tempdir().unwrap();
    Workspace::init(folder.path()).unwrap();
    // A lock belongs to an open file: a second one in this process is as good as another process.
    let Tried::Got(_lease) = ProcessLock::try_take(&opened(folder.path())).unwrap() else { panic!("held") };
    let workspace = Workspace::at(folder.path(), Create::Never);
    let started = Instant::now();
    let mut session = workspace.session(started + Duration::from_millis(40), Box::new(|_| {}));
    let error = session.call(store::collections).unwrap_err();
    assert_eq!(error.code, ErrorCode::Busy);
    let holder = format!("process {} holds the workspace and did not release it within ", std::process::id());
    assert!(error.message.starts_with(&holder), "{}", error.message);
    assert_eq!(error.details, Some(serde_json::json!({ "process": std::process::id() })));
    assert!(started.elapsed() < Duration::from_secs(1));
}

#[test]
fn a_call_waits_no_longer_for_its_own_process_than_for_another() {
    let (_folder, workspace) = workspace();
    put(&mut session(&workspace), "k", "1").unwrap();
    let (entered, has_entered) = mpsc::channel();
    let (leave, may_leave) = mpsc::channel();
    let busy = workspace.clone();
    let alone = thread::spawn(move || {
        busy.shared().alone(|database, _| {
            entered.send(()).unwrap();
            may_leave.recv().unwrap();
            database.leave(());
            Ok(())
        })
    });
    has_entered.recv().unwrap();
    let (tell, told) = mpsc::channel();
    let mut short = workspace.session(Instant::now() + Duration::from_millis(40), Box::new(|_| {}));
    thread::spawn(move || tell.send(short.call(store::collections)).unwrap());
    let answer = told.recv_timeout(Duration::from_secs(3));
    leave.send(()).unwrap();
    let error = answer.expect("the call waited past its deadline").unwrap_err();
    assert_eq!(error.code, ErrorCode::Busy);
    assert_eq!(error.details, Some(serde_json::json!({ "process": std::process::id() })));
    alone.join().unwrap().unwrap();
    assert_eq!(get(&mut session(&workspace), "k").unwrap().as_deref(), Some("1"));
}

#[test]
fn an_interruption_ends_the_wait_for_what_its_own_process_does_alone() {
    let (_folder, workspace) = workspace();
    put(&mut session(&workspace), "k", "1").unwrap();
    let flag = Arc::new(AtomicBool::new(false));
    workspace.interrupt_when(Arc::clone(&flag));
    let (tell, told) = mpsc::channel();
    let mut waiting = session(&workspace);
    let done = workspace.shared().alone(|database, _| {
        thread::spawn(move || tell.send(waiting.call(store::collections)).unwrap());
        let early = told.recv_timeout(Duration::from_millis(100));
        flag.store(true, Ordering::Release);
        let answer = told.recv_timeout(Duration::from_secs(3));
        database.leave(());
        Ok((early, answer))
    });
    let (early, answer) = done.unwrap();
    assert!(early.is_err(), "it did not wait: {early:?}");
    assert_eq!(answer.expect("the call went on waiting").unwrap_err().code, ErrorCode::Busy);
}

#[test]
fn a_call_waits_for_a_workspace_that_is_given_back() {
    let (folder, first) = workspace();
    put(&mut session(&first), "k", "1").unwrap();
    let second = Workspace::at(folder.path(), Create::Never);
    let waiting = thread::spawn(move || get(&mut session(&second), "k"));
    first.close().unwrap();
    assert_eq!(waiting.join().unwrap().unwrap().as_deref(), Some("1"));
}

#[test]
fn who_has_the_workspace_and_needs_it_no_more_gives_it_to_who_waits() {
    let (folder, first) = workspace();
    put(&mut session(&first), "k", "1").unwrap();
    let second = Workspace::at(folder.path(), Create::Never);
    assert_eq!(get(&mut session(&second), "k").unwrap().as_deref(), Some("1"));
    put(&mut session(&second), "k", "2").unwrap();
    assert_eq!(get(&mut session(&first), "k").unwrap().as_deref(), Some("2"));
}

#[test]
fn a_workspace_that_nobody_needs_is_given_back() {
    let (folder, workspace) = workspace();
    put(&mut session(&workspace), "k", "1").unwrap();
    let until = later();
    while !matches!(ProcessLock::try_take(&opened(folder.path())).unwrap(), Tried::Got(_)) {
        assert!(Instant::now() < until, "it is still held");
        thread::yield_now();
    }
    assert_eq!(get(&mut session(&workspace), "k").unwrap().as_deref(), Some("1"));
}

#[test]
fn a_workspace_that_is_not_open_has_no_thread() {
    let (_folder, workspace) = workspace();
    for _ in 0..2 {
        put(&mut session(&workspace), "k", "1").unwrap();
        assert!(workspace.shared().state().has_flusher);
        workspace.close().unwrap();
        let until = Instant::now() + Duration::from_secs(10);
        while workspace.shared().state().has_flusher {
            assert!(Instant::now() < until, "its thread lives on");
            thread::yield_now();
        }
    }
}

#[test]
fn busy_handles_take_turns_and_see_what_the_other_wrote() {
    let folder = tempdir().unwrap();
    Workspace::init(folder.path()).unwrap();
    let add = |_| {
        let workspace = Workspace::at(folder.path(), Create::Never);
        let mut session = session(&workspace);
        let started = Instant::now();
        let mut added = 0_u64;
        while started.elapsed() < Duration::from_millis(700) {
            session
                .call(|tables| {
                    let count = store::get(tables, "c", "k")?.map_or(0, |document| document.data.parse().unwrap());
                    store::put(tables, "c", "k", &(count + 1_u64).to_string())
                })
                .unwrap();
            added += 1;
        }
        added
    };
    let added: Vec<u64> = thread::scope(|scope| {
        let handles = [0, 1, 2].map(|index| scope.spawn(move || add(index)));
        handles.map(|handle| handle.join().unwrap()).into()
    });
    assert!(added.iter().all(|added| *added > 0), "{added:?}");
    let total = get(&mut session(&Workspace::at(folder.path(), Create::Never)), "k").unwrap();
    assert_eq!(total, Some(added.iter().sum::<u64>().to_string()), "{added:?}");
}

#[test]
fn many_runs_that_end_at_once_share_commits() {
    let (_folder, workspace) = workspace();
    let workspace = workspace.without_hurry();
    let together = std::sync::Barrier::new(8);
    thread::scope(|scope| {
        for key in 0..8 {
            let (workspace, together) = (&workspace, &together);
            scope.spawn(move || {
                let mut session = session(workspace);
                put(&mut session, &key.to_string(), "1").unwrap();
                together.wait();
                session.finish().unwrap();
            });
        }
    });
    assert_eq!(workspace.commits(), 1);
}

#[test]
fn a_change_is_committed_without_being_asked_for() {
    let (_folder, workspace) = workspace();
    let (sender, told) = mpsc::channel();
    let mut session = workspace.session(later(), Box::new(move |flushed| sender.send(flushed).unwrap()));
    put(&mut session, "k", "1").unwrap();
    let number = workspace.outstanding().expect("nothing waits for the disk");
    assert!(session.has_unsaved());
    assert_eq!(told.recv_timeout(Duration::from_secs(10)).unwrap(), Flushed::Committed(number));
    assert_eq!((workspace.outstanding(), workspace.commits()), (None, 1));
    assert!(!session.has_unsaved());
}

#[test]
fn nothing_is_committed_when_nothing_changed() {
    let (_folder, workspace) = workspace();
    let mut session = session(&workspace);
    assert!(!session.call(|tables| store::delete(tables, "c", "k")).unwrap());
    session.call(|tables| store::clear(tables, "c")).unwrap();
    put(&mut session, "", "1").unwrap_err();
    assert_eq!((workspace.outstanding(), session.has_unsaved()), (None, false));
    session.finish().unwrap();
    workspace.flush().unwrap();
    assert_eq!(workspace.commits(), 0);
}

#[test]
fn many_bytes_do_not_wait() {
    let (_folder, workspace) = workspace();
    let workspace = workspace.without_hurry();
    let mut session = session(&workspace);
    let large = format!("\"{}\"", "x".repeat(9 << 20));
    put(&mut session, "1", &large).unwrap();
    put(&mut session, "2", &large).unwrap();
    assert_eq!((workspace.commits(), workspace.outstanding()), (1, None));
}

#[test]
fn finishing_commits_once_for_all_runs() {
    let (_folder, workspace) = workspace();
    let workspace = workspace.without_hurry();
    let mut runs: Vec<_> = (0..8).map(|_| session(&workspace)).collect();
    for (index, run) in runs.iter_mut().enumerate() {
        put(run, &index.to_string(), "1").unwrap();
    }
    runs[0].finish().unwrap();
    assert!(runs.iter().all(|run| !run.has_unsaved()));
    assert_eq!(workspace.commits(), 1);
}

#[test]
fn a_run_that_ends_waits_for_others_to_share_its_commit() {
    let (_folder, workspace) = workspace();
    let workspace = workspace.without_hurry();
    let (mut first, mut second) = (session(&workspace), session(&workspace));
    put(&mut first, "1", "1").unwrap();
    {
        let mut state = workspace.shared().state();
        state.schedule.set_group_commit(Duration::from_secs(60));
    }
    thread::scope(|scope| {
        scope.spawn(|| first.finish().unwrap());
        while workspace.shared().state().schedule.waiting() == 0 && workspace.commits() == 0 {
            thread::yield_now();
        }
        put(&mut second, "2", "2").unwrap();
        second.finish().unwrap();
    });
    assert_eq!(workspace.commits(), 1);
}

/// Cuts the database off, as a disk that died.
fn break_disk(workspace: &Workspace) {
    let state = workspace.shared().state();
    state.open.as_ref().expect("the workspace should be open").cut();
}

#[test]
fn a_failed_commit_loses_what_was_not_on_disk_and_nothing_else() {
    let (_folder, workspace) = workspace();
    let workspace = workspace.without_hurry();
    let told = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&told);
    let mut writer = workspace.session(
        later(),
        Box::new(move |flushed| {
            count.fetch_add(u64::from(matches!(flushed, Flushed::Lost(_))), Ordering::Relaxed);
        }),
    );
    let mut reader = session(&workspace);
    let mut idle = session(&workspace);
    put(&mut writer, "saved", "1").unwrap();
    writer.finish().unwrap();

    put(&mut writer, "a", "1").unwrap();
    put(&mut writer, "b", "1").unwrap();
    break_disk(&workspace);
    assert_eq!(get(&mut reader, "a").unwrap().as_deref(), Some("1"));
    let lost = writer.finish().unwrap_err();
    assert!(lost.message.starts_with("the workspace failed: "), "{}", lost.message);
    assert_eq!(lost.calls, 2);
    assert_eq!(reader.finish(), Err(Lost { calls: 0, message: lost.message.clone() }));
    assert_eq!(told.load(Ordering::Relaxed), 1);
    let refused = put(&mut writer, "c", "1").unwrap_err();
    assert!(refused.ends_run());

    // Others go on, with what is on disk.
    assert_eq!(get(&mut idle, "a").unwrap(), None);
    assert_eq!(get(&mut idle, "saved").unwrap().as_deref(), Some("1"));
    put(&mut idle, "d", "1").unwrap();
    idle.finish().unwrap();
}

/// The listener of a run keeps a workspace alive, as its console does. So whoever lets go of the run last, ends the
/// workspace: also the thread that tells of a loss.
#[test]
fn a_run_that_goes_while_a_loss_is_told_may_be_the_last() {
    let (_folder, workspace) = workspace();
    let workspace = workspace.without_hurry();
    let (told, is_told) = mpsc::channel();
    let (gone, is_gone) = mpsc::channel::<()>();
    let (kept, is_gone) = (workspace.clone(), std::sync::Mutex::new(is_gone));
    let listener = Box::new(move |flushed| {
        assert!(kept.outstanding().is_some() && matches!(flushed, Flushed::Lost(_)));
        told.send(()).unwrap();
        is_gone.lock().unwrap().recv().unwrap();
    });
    let mut run = workspace.session(later(), listener);
    put(&mut run, "k", "1").unwrap();
    break_disk(&workspace);
    let shared = Arc::clone(workspace.shared());
    let (end, ended) = mpsc::channel();
    thread::spawn(move || {
        assert!(shared.flush().is_err());
        end.send(()).unwrap();
    });
    is_told.recv().unwrap();
    drop((run, workspace));
    gone.send(()).unwrap();
    ended.recv_timeout(Duration::from_secs(10)).expect("who told of the loss waits for itself");
}

#[test]
fn a_panic_inside_a_call_loses_the_transaction_and_ends_the_run() {
    let (_folder, workspace) = workspace();
    let workspace = workspace.without_hurry();
    let mut first = session(&workspace);
    let mut second = session(&workspace);
    put(&mut first, "saved", "1").unwrap();
    first.finish().unwrap();
    put(&mut first, "a", "1").unwrap();
    let error = second
        .call(|tables| {
            store::put(tables, "c", "half", "1")?;
            panic!("on purpose");
            #[expect(unreachable_code, reason = "gives the closure its type")]
            Ok(())
        })
        .unwrap_err();
    assert!(error.ends_run());
    assert_eq!(second.finish().unwrap_err().calls, 1);
    assert_eq!(first.finish().unwrap_err().calls, 1);
    let mut third = session(&workspace);
    assert_eq!(get(&mut third, "half").unwrap(), None);
    assert_eq!(get(&mut third, "a").unwrap(), None);
    assert_eq!(get(&mut third, "saved").unwrap().as_deref(), Some("1"));
}

#[test]
fn a_damaged_database_is_an_error_or_an_answer() {
    let folder = tempdir().unwrap();
    let workspace = Workspace::at(folder.path(), Create::AtFirstUse);
    let mut writer = session(&workspace);
    for index in 0..300 {
        put(&mut writer, &format!("key {index}"), &format!("\"{}\"", "x".repeat(index * 7))).unwrap();
    }
    writer.finish().unwrap();
    drop((writer, workspace));
    let whole = fs::read(data(folder.path())).unwrap();
    let mut random = 42_u64;
    for _ in 0..300 {
        let mut damaged = whole.clone();
        for _ in 0..4 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (random >> 33) as usize % damaged.len();
            damaged[at] ^= 1 << (random & 7);
        }
        fs::write(data(folder.path()), &damaged).unwrap();
        let workspace = Workspace::at(folder.path(), Create::Never);
        let mut session = session(&workspace);
        // Whatever the answers are: the process is still there to give them, and the end is reached.
        let _ = session.call(|tables| {
            let options = store::ListOptions { limit: 1_000, ..Default::default() };
            store::list(tables, "c", &options, &|| Ok(()))
        });
        let _ = put(&mut session, "key 7", "1");
        let _ = session.call(|tables| store::clear(tables, "c"));
        let _ = session.finish();
    }
}
