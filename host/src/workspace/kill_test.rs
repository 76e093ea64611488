//! Processes that are killed at any moment, also while they create the workspace or hand it to each other, lose no
//! write that they have reported.
//!
//! `GHOST_KILLS` is the number of kills, `GHOST_SEED` repeats a run.

use std::{
    env,
    io::{Read, Write},
    path::Path,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::tempdir;

use super::{Create, Session, Workspace};
use crate::{child_process_test, data::store};

const FOLDER: &str = "GHOST_KILL_TEST_FOLDER";
const COLLECTION: &str = "GHOST_KILL_TEST_COLLECTION";
/// The number of processes that share a workspace.
const TOGETHER: usize = 2;
/// The number of rounds with the same workspace.
const ROUNDS: usize = 4;

fn session(folder: &Path) -> Session {
    let workspace = Workspace::at(folder, Create::AtFirstUse);
    workspace.session(Instant::now() + Duration::from_secs(60), Box::new(|_| {}))
}

/// The process that is killed: it stores documents, and reports each.
#[test]
#[ignore = "the process that the test below starts"]
fn child() {
    let (folder, collection) = (env::var(FOLDER).unwrap(), env::var(COLLECTION).unwrap());
    let mut session = session(Path::new(&folder));
    for number in session.call(|t| store::count(t, &collection)).unwrap().. {
        let data = format!("\"{}\"", "x".repeat(number as usize % 3_000));
        session.call(|t| store::put(t, &collection, &number.to_string(), &data)).unwrap();
        session.finish().unwrap();
        writeln!(std::io::stdout(), "stored {number}.").unwrap();
    }
}

#[test]
fn nothing_that_was_told_of_is_lost() {
    let kills = env::var("GHOST_KILLS").map_or(50, |kills| kills.parse().unwrap());
    let seed = env::var("GHOST_SEED").map_or_else(|_| fastrand::u64(..), |seed| seed.parse().unwrap());
    println!("GHOST_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut folder = tempdir().unwrap();
    let mut told_in_all = 0;
    for round in 0..usize::div_ceil(kills, TOGETHER) {
        if round % ROUNDS == 0 {
            folder = tempdir().unwrap();
        }
        // The first processes may be killed while they create the workspace.
        let children = ["a", "b"].map(|collection| {
            let child = start(folder.path(), collection);
            (collection, child)
        });
        thread::sleep(Duration::from_micros(random.u64(1_000..40_000)));
        for (collection, told) in children.map(|(collection, child)| (collection, kill(child))) {
            told_in_all += check(folder.path(), collection, told);
        }
    }
    println!("{kills} killed");
    assert!(told_in_all > 0, "they were killed before they told of anything");
}

fn start(folder: &Path, collection: &str) -> Child {
    child_process_test::command(module_path!())
        .env(FOLDER, folder)
        .env(COLLECTION, collection)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Kills a process. Returns the last number that it reported.
fn kill(mut child: Child) -> Option<u64> {
    child.kill().unwrap();
    let mut output = String::new();
    child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    child.wait().unwrap();
    let last = output.lines().rev().find_map(|line| line.strip_suffix('.')?.strip_prefix("stored "))?;
    Some(last.parse().unwrap())
}

/// Checks that all reported documents exist, without a gap. Returns their number.
fn check(folder: &Path, collection: &str, told: Option<u64>) -> u64 {
    let mut session = session(folder);
    let count = session.call(|t| store::count(t, collection)).unwrap();
    let stored = told.map_or(0, |number| number + 1);
    assert!(count >= stored, "{count} documents, and {stored} were told of");
    for number in 0..count {
        let document = session.call(|t| store::get(t, collection, &number.to_string())).unwrap();
        let size = document.unwrap_or_else(|| panic!("{number} is missing")).data.len();
        assert_eq!(size, number as usize % 3_000 + 2, "{number} is not whole");
    }
    stored
}
