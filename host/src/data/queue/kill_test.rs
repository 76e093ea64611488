//! A worker that is killed at any step loses nothing: completed operations are kept, and all other items are handed out
//! again.
//!
//! `GHOST_KILLS` is the number of kills, `GHOST_SEED` repeats a run.

use std::{
    collections::BTreeSet,
    env,
    io::{Read, Write},
    path::Path,
    process::Stdio,
    sync::Arc,
    thread,
    time::{Duration, Instant, SystemTime},
};

use tempfile::tempdir;

use super::{DEFAULT_LEASE_MS, EnqueueOptions, Page, abort, commit, dead_letter, dequeue, enqueue, list};
use crate::{
    child_process_test,
    workspace::{Create, Session, Workspace},
};

const FOLDER: &str = "GHOST_QUEUE_KILL_TEST_FOLDER";
const FIRST: &str = "GHOST_QUEUE_KILL_TEST_FIRST";

/// Returns a session whose clock is this many milliseconds ahead.
fn session(folder: &Path, ahead: u64) -> Session {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis() as u64 + ahead;
    let workspace = Workspace::with_clock(folder, Create::AtFirstUse, Arc::new(move || now));
    workspace.session(Instant::now() + Duration::from_secs(60), Box::new(|_| {}))
}

fn tell(session: &mut Session, what: &str, number: &str) {
    session.finish().unwrap();
    writeln!(std::io::stdout(), "{what} {number}.").unwrap();
}

/// The worker that is killed: it reports each step.
#[test]
#[ignore = "the process that the test below starts"]
fn child() {
    let (folder, first) = (env::var(FOLDER).unwrap(), env::var(FIRST).unwrap());
    let mut session = session(Path::new(&folder), 0);
    for number in first.parse::<u64>().unwrap().. {
        let options = EnqueueOptions { priority: (number % 3) as u8, max_retries: 1 };
        session.call(|t| enqueue(t, "q", &number.to_string(), options)).unwrap();
        tell(&mut session, "enqueued", &number.to_string());
        let Some(item) = session.call(|t| dequeue(t, "q", DEFAULT_LEASE_MS)).unwrap() else { continue };
        tell(&mut session, "took", &item.data);
        if number.is_multiple_of(3) {
            session.call(|t| abort(t, item.id, Some("on purpose"))).unwrap();
            tell(&mut session, "aborted", &item.data);
        } else {
            session.call(|t| commit(t, item.id)).unwrap();
            tell(&mut session, "committed", &item.data);
        }
    }
}

#[test]
fn a_worker_that_is_killed_at_any_step_loses_nothing() {
    let kills: usize = env::var("GHOST_KILLS").map_or(20, |kills| kills.parse().unwrap());
    let seed = env::var("GHOST_SEED").map_or_else(|_| fastrand::u64(..), |seed| seed.parse().unwrap());
    println!("GHOST_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let folder = tempdir().unwrap();
    let (mut enqueued, mut committed) = (BTreeSet::new(), BTreeSet::new());
    // On a busy machine, workers may be killed before their first step.
    for round in 0..20 * kills {
        if round >= kills && !committed.is_empty() {
            break;
        }
        let told = run_and_kill(folder.path(), round, Duration::from_micros(random.u64(2_000..60_000)));
        let of = |word: &str| -> Vec<u64> {
            let lines = told.lines().filter_map(|line| line.strip_suffix('.')?.strip_prefix(word)?.strip_prefix(' '));
            lines.map(|number| number.parse().unwrap()).collect()
        };
        enqueued.extend(of("enqueued"));
        committed.extend(of("committed"));
        check(folder.path(), &enqueued, &mut committed, of("took").last().copied());
    }
    println!("{kills} killed, {} enqueued, {} committed", enqueued.len(), committed.len());
    assert!(!committed.is_empty(), "they were killed before they did anything");
}

/// Returns what the worker reported.
fn run_and_kill(folder: &Path, round: usize, after: Duration) -> String {
    let mut child = child_process_test::command(module_path!())
        .env(FOLDER, folder)
        .env(FIRST, (round * 1_000_000).to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    thread::sleep(after);
    child.kill().unwrap();
    let mut told = String::new();
    child.stdout.take().unwrap().read_to_string(&mut told).unwrap();
    child.wait().unwrap();
    told
}

/// Checks that every item exists once when all leases have ended, except the committed ones.
fn check(folder: &Path, enqueued: &BTreeSet<u64>, committed: &mut BTreeSet<u64>, last_taken: Option<u64>) {
    let mut session = session(folder, u64::from(DEFAULT_LEASE_MS) + 1_000);
    let page = Page { limit: i32::MAX as u32, offset: 0 };
    let pending = session.call(|t| list(t, "q", page)).unwrap();
    let dead = session.call(|t| dead_letter(t, "q", page)).unwrap();
    session.finish().unwrap();
    let mut kept = BTreeSet::new();
    for item in pending.iter().chain(&dead) {
        let number: u64 = item.data.parse().unwrap();
        assert!(kept.insert(number), "{number} exists twice");
        assert!(!committed.contains(&number), "{number} was committed");
    }
    let missing: Vec<_> = enqueued.difference(committed).filter(|number| !kept.contains(number)).copied().collect();
    for number in missing {
        // The worker was killed between a commit and the report of it.
        assert_eq!(Some(number), last_taken, "{number} is lost");
        committed.insert(number);
    }
}
