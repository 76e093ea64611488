//! A workspace that several processes, or several runs of one process, use at once.

use super::*;

#[test]
fn a_workspace_that_another_process_holds_is_busy() {
    let folder = tempdir().unwrap();
    Workspace::init(folder.path()).unwrap();
    // A lock belongs to an open file, so a second one in this process works like another process.
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
        busy.shared().with_exclusive_database(|database, _| {
            entered.send(()).unwrap();
            may_leave.recv().unwrap();
            database.close_without_writing(());
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
    let done = workspace.shared().with_exclusive_database(|database, _| {
        thread::spawn(move || tell.send(waiting.call(store::collections)).unwrap());
        let early = told.recv_timeout(Duration::from_millis(100));
        flag.store(true, Ordering::Release);
        let answer = told.recv_timeout(Duration::from_secs(3));
        database.close_without_writing(());
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
