//! After a power loss at any moment, the workspace opens without a repair. It contains every change of which an effect
//! was visible outside, and no call in part.

use std::{env, fs, path::Path};

use proptest::{prelude::RngExt, test_runner::TestRng};
use tempfile::tempdir;

use super::{
    Session, TransactionEnd, Workspace,
    tests::{
        operation::{self, Operation, State},
        recorder::{self, Event, Tape},
    },
};

/// The number of images that are made of one history.
const IMAGES: usize = 25;
/// How many times the power fails again after a reopening.
const AGAIN: u32 = 2;

#[test]
fn a_power_loss_loses_nothing_that_was_shown() {
    let wanted = env::var("GHOST_CRASH_IMAGES").map_or(1_000, |images| images.parse().expect("a number of images"));
    let seed = operation::seed();
    let (mut made, mut mixed) = (0, 0);
    for history in 0.. {
        if made >= wanted {
            break;
        }
        let seed = seed + history;
        let mut test = Test { images: 0, mixed: 0, random: operation::random(seed) };
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| test.history()));
        assert!(result.is_ok(), "image {} of GHOST_SEED={seed} failed", test.images);
        made += test.images;
        mixed += test.mixed;
    }
    println!("{made} images, {mixed} of them unlike any state of the file before");
    assert!(mixed * 10 > made, "only {mixed} of {made} images were a mixture");
}

struct Test {
    images: usize,
    /// The number of images that are unlike the file at any time.
    mixed: usize,
    random: TestRng,
}

impl Test {
    fn history(&mut self) {
        let folder = tempdir().unwrap();
        Tape::remove();
        Workspace::init(folder.path()).unwrap();
        let start = fs::read(operation::data(folder.path())).unwrap();
        let (states, events) = record(folder.path(), &mut self.random);
        for _ in 0..IMAGES {
            self.crash(folder.path(), &start, &events, &states, AGAIN);
        }
    }

    /// Lets the power fail at a random event.
    fn crash(&mut self, folder: &Path, start: &[u8], events: &[Event], states: &[State], again: u32) {
        let at = self.random.random_range(0..events.len());
        let image = recorder::image(start, &events[..=at], &mut self.random);
        self.images += 1;
        self.mixed += usize::from(!recorder::is_whole(start, &events[..=at], &image));
        let (first, last) = events[at].mark;
        self.reopen(folder, &image, &states[first..=last], again);
    }

    fn reopen(&mut self, folder: &Path, image: &[u8], allowed: &[State], again: u32) {
        fs::write(operation::data(folder), image).unwrap();
        let tape = Tape::install();
        tape.mark(0, allowed.len() - 1);
        let workspace = operation::open(folder);
        let mut session = operation::session(&workspace, Box::new(|_| {}));
        let found = operation::state(&mut session).unwrap();
        assert!(allowed.contains(&found), "found {found:?}\nallowed {allowed:?}");
        // The state was visible: from here on, no other may be found.
        let mut states = allowed.to_vec();
        states.push(found);
        tape.mark(allowed.len(), allowed.len());
        calls(&mut session, &mut self.random);
        save(&tape, &mut session, &mut states);
        drop((session, workspace));
        if again > 0 {
            self.crash(folder, image, &tape.events(), &states, again - 1);
        }
    }
}

/// Executes some runs. Returns the states that were visible, and all events of the file.
fn record(folder: &Path, random: &mut TestRng) -> (Vec<State>, Vec<Event>) {
    let tape = Tape::install();
    let workspace = operation::open(folder);
    let mut states = vec![State::default()];
    for _ in 0..random.random_range(1..12) {
        let told = tape.clone();
        let mut session = operation::session(
            &workspace,
            Box::new(move |end| {
                assert!(matches!(end, TransactionEnd::Committed(_)));
                let (_, last) = told.last_mark();
                told.mark(last, last);
            }),
        );
        calls(&mut session, random);
        save(&tape, &mut session, &mut states);
        if random.random_bool(0.2) {
            workspace.close().unwrap();
        }
    }
    drop(workspace);
    (states, tape.events())
}

fn calls(session: &mut Session, random: &mut TestRng) {
    for _ in 0..random.random_range(1..12) {
        Operation::random(random).apply(session).unwrap();
    }
}

/// Ends a run. Until its end, the previous state may be found as well.
fn save(tape: &Tape, session: &mut Session, states: &mut Vec<State>) {
    states.push(operation::state(session).unwrap());
    tape.mark(states.len() - 2, states.len() - 1);
    session.finish().unwrap();
    tape.mark(states.len() - 1, states.len() - 1);
}
