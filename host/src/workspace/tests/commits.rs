//! When changes are committed, and what a failed commit loses.

use super::*;

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
    let mut session = workspace.session(later(), Box::new(move |end| sender.send(end).unwrap()));
    put(&mut session, "k", "1").unwrap();
    let number = workspace.outstanding().expect("nothing waits for the disk");
    assert!(session.has_unsaved());
    assert_eq!(told.recv_timeout(Duration::from_secs(10)).unwrap(), TransactionEnd::Committed(number));
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

/// With this window, every wait for other runs would last until the test is killed.
#[test]
fn idle_sessions_of_programs_and_waiting_calls_delay_no_commit() {
    let (_folder, workspace) = workspace();
    let workspace = workspace.without_hurry();
    workspace.shared().state().schedule.set_group_commit(Duration::from_secs(3_600));
    let mut idle = workspace.session_of_program();
    idle.call(|tables| store::get(tables, "c", "k")).unwrap();
    let waiter = session(&workspace);
    let _waiting = waiter.begin_to_wait();
    let mut run = session(&workspace);
    put(&mut run, "k", "1").unwrap();
    run.finish().unwrap();
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
        while workspace.shared().state().schedule.runs_waiting() == 0 && workspace.commits() == 0 {
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
        Box::new(move |end| {
            count.fetch_add(u64::from(matches!(end, TransactionEnd::Discarded(_))), Ordering::Relaxed);
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
    assert_eq!(reader.finish(), Err(LostCalls { calls: 0, message: lost.message.clone() }));
    assert_eq!(told.load(Ordering::Relaxed), 1);
    let refused = put(&mut writer, "c", "1").unwrap_err();
    assert!(refused.ends_run());

    // Other runs continue, with the state on disk.
    assert_eq!(get(&mut idle, "a").unwrap(), None);
    assert_eq!(get(&mut idle, "saved").unwrap().as_deref(), Some("1"));
    put(&mut idle, "d", "1").unwrap();
    idle.finish().unwrap();
}

/// The listener of a run keeps a workspace alive, as its console does. So the thread that drops the run last closes the
/// workspace, even if it is the thread that reports a loss.
#[test]
fn a_run_that_goes_while_a_loss_is_told_may_be_the_last() {
    let (_folder, workspace) = workspace();
    let workspace = workspace.without_hurry();
    let (told, is_told) = mpsc::channel();
    let (gone, is_gone) = mpsc::channel::<()>();
    let (kept, is_gone) = (workspace.clone(), std::sync::Mutex::new(is_gone));
    let listener = Box::new(move |end| {
        assert!(kept.outstanding().is_some() && matches!(end, TransactionEnd::Discarded(_)));
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
    ended.recv_timeout(Duration::from_secs(10)).expect("the thread that reports the loss waits for itself");
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
        // The answers do not matter: the process must not abort, and every call must return.
        let _ = session.call(|tables| {
            let options = store::ListOptions { limit: 1_000, ..Default::default() };
            store::list(tables, "c", &options, &|| Ok(()))
        });
        let _ = put(&mut session, "key 7", "1");
        let _ = session.call(|tables| store::clear(tables, "c"));
        let _ = session.finish();
    }
}
