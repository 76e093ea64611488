//! A process that is killed at any moment, from the making of the workspace on, loses nothing that it has told of.

use std::{
    env,
    io::{Read, Write},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::tempdir;

use super::{Create, Session, Workspace};
use crate::g::store;

const FOLDER: &str = "GHOST_KILL_TEST_FOLDER";

fn session(folder: &Path) -> Session {
    let workspace = Workspace::at(folder, Create::AtFirstUse);
    workspace.session(Instant::now() + Duration::from_secs(60), Box::new(|_| {}))
}

/// What the killed process does: it stores, and tells of it.
#[test]
#[ignore = "the process that the test below starts"]
fn child() {
    let folder = env::var(FOLDER).unwrap();
    let mut session = session(Path::new(&folder));
    for number in session.read(|t| store::count(t, "c")).unwrap().. {
        session.write(|t| store::put(t, "c", &number.to_string(), "\"some data that is stored\"")).unwrap();
        session.finish().unwrap();
        writeln!(std::io::stdout(), "stored {number}.").unwrap();
    }
}

#[test]
fn nothing_that_was_told_of_is_lost() {
    let mut folder = tempdir().unwrap();
    for round in 0..40_u64 {
        // Every other time from nothing, killed early: in the midst of making the workspace.
        if round % 2 == 0 {
            folder = tempdir().unwrap();
        }
        let told = run_and_kill(folder.path(), Duration::from_micros(1_500 + round * 400));
        let mut session = session(folder.path());
        let count = session.read(|t| store::count(t, "c")).unwrap();
        let stored = told.map_or(0, |number| number + 1);
        assert!(count >= stored, "{count} documents, and {stored} were told of");
        for number in 0..count {
            assert!(
                session.read(|t| store::get(t, "c", &number.to_string())).unwrap().is_some(),
                "{number} is missing"
            );
        }
    }
}

/// The last number that it told of.
fn run_and_kill(folder: &Path, after: Duration) -> Option<u64> {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "workspace::kill_test::child", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    thread::sleep(after);
    child.kill().unwrap();
    let mut output = String::new();
    child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    child.wait().unwrap();
    let last = output.lines().rev().find_map(|line| line.strip_suffix('.')?.strip_prefix("stored "))?;
    Some(last.parse().unwrap())
}
