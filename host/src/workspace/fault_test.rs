//! Each access to the file fails, once or permanently: no visible change is lost, no call is stored in part, and the
//! run is notified of the number of lost calls.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tempfile::tempdir;

use super::{
    Session, TransactionEnd, Workspace,
    tests::{
        operation::{self, Operation, State},
        recorder::{Access, Fault, Tape},
    },
};

const RUNS: usize = 4;
const CALLS: usize = 6;
/// The size of a document that makes the file grow.
const BIG: usize = 1 << 20;

#[test]
fn an_access_that_fails_loses_nothing_that_was_shown() {
    let folder = tempdir().unwrap();
    Workspace::init(folder.path()).unwrap();
    let start = fs::read(operation::data(folder.path())).unwrap();
    let seed = operation::seed();
    for access in [Access::Read, Access::Write, Access::Sync, Access::Length] {
        for (error, short, lasting) in [(libc::EIO, false, false), (libc::EIO, true, false), (libc::ENOSPC, true, true)]
        {
            let mut after = 0;
            while strikes(folder.path(), &start, seed, Fault { access, after, error, short, lasting }) {
                after += 1;
            }
            println!("{access:?} {error} short {short} lasting {lasting}: {after} places");
            assert!(after > 0, "{access:?} never failed");
        }
    }
}

/// Executes some runs with a fault. Returns false if they ended before the fault occurred.
fn strikes(folder: &Path, start: &[u8], seed: u64, fault: Fault) -> bool {
    fs::write(operation::data(folder), start).unwrap();
    let tape = Tape::install();
    tape.fail(Some(fault));
    let workspace = operation::open(folder);
    let mut random = operation::random(seed);
    let mut shown = State::default();
    for index in 0..RUNS {
        let losses = Arc::new(AtomicU64::new(0));
        let told = Arc::clone(&losses);
        let mut session = operation::session(
            &workspace,
            Box::new(move |end| {
                told.fetch_add(u64::from(matches!(end, TransactionEnd::Discarded(_))), Ordering::Relaxed);
            }),
        );
        let mut calls: Vec<_> = (0..CALLS).map(|_| Operation::random(&mut random)).collect();
        calls.push(Operation::Put("a", format!("big{index}"), BIG));
        let (unsaved, reached) = run(&mut session, &calls);
        match session.finish() {
            Ok(()) => shown = reached.unwrap_or(shown),
            Err(lost) => {
                assert_eq!(lost.calls, unsaved, "{fault:?}: {lost:?}");
                assert_eq!(losses.load(Ordering::Relaxed), 1, "{fault:?}");
                assert!(calls[0].apply(&mut session).unwrap_err().ends_run());
                tape.fail(None);
                let found = operation::state(&mut operation::session(&workspace, Box::new(|_| {}))).unwrap();
                assert!(found == shown, "{fault:?}: {found:?}\nshown {shown:?}");
            }
        }
    }
    tape.struck() > 0
}

/// Executes calls. Returns the number of unsaved calls, and the state after them if all succeeded.
fn run(session: &mut Session, calls: &[Operation]) -> (u64, Option<State>) {
    let mut unsaved = 0;
    for call in calls {
        match call.apply(session) {
            Ok(changed) => unsaved += u64::from(changed),
            Err(error) if error.ends_run() => return (unsaved + 1, None),
            // The workspace could not be opened, which does not end the run.
            Err(error) => assert_eq!((error.code, unsaved), (crate::ErrorCode::NoWorkspace, 0)),
        }
    }
    (unsaved, operation::state(session).ok())
}

#[test]
fn a_panic_at_any_call_loses_what_was_not_shown() {
    for at in 0..CALLS as u64 {
        let folder = tempdir().unwrap();
        Workspace::init(folder.path()).unwrap();
        let workspace = operation::open(folder.path());
        let put = |session: &mut Session| Operation::Put("a", "k".into(), 10).apply(session);
        let mut first = operation::session(&workspace, Box::new(|_| {}));
        put(&mut first).unwrap();
        first.finish().unwrap();
        let shown = operation::state(&mut first).unwrap();
        for _ in 0..at {
            put(&mut first).unwrap();
        }
        let failed: Result<(), _> = first.call(|t| {
            crate::data::store::put(t, "a", "half", "1")?;
            panic!("on purpose")
        });
        assert!(failed.unwrap_err().ends_run());
        assert_eq!(first.finish().unwrap_err().calls, at + 1);
        let mut next = operation::session(&workspace, Box::new(|_| {}));
        assert_eq!(operation::state(&mut next).unwrap(), shown);
        put(&mut next).unwrap();
        next.finish().unwrap();
    }
}
