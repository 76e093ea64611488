//! Runs that must end at their deadline, on a machine that other tests keep busy.

use std::time::Duration;

use crate::folder::{Finished, Folder};

/// How much later than its deadline a run may end.
pub const LATE: Duration = Duration::from_millis(100);
/// How often a run may be late before it counts: on a busy machine, it waits for its turn.
const ATTEMPTS: usize = 8;

/// Runs a program that must end at its deadline, and returns how it ended.
///
/// # Panics
///
/// When it was late each time. It was not if it used no more time of a processor than until its deadline: then it waited for
/// its turn.
#[track_caller]
pub fn on_time(limit: Duration, run: impl Fn() -> Finished) -> Finished {
    let mut seen = Vec::new();
    for _ in 0..ATTEMPTS {
        let start = Folder::new().ghost(["run", "-e", "export const main = () => 1"]).finish().exits(0);
        let finished = run();
        if is_on_time(limit, &start, &finished) {
            return finished;
        }
        seen.push((finished.time, finished.cpu_time, start.time));
    }
    panic!("a run of {limit:?} was late each time: its time, that on a processor, and that of an empty run: {seen:?}");
}

fn is_on_time(limit: Duration, start: &Finished, finished: &Finished) -> bool {
    let worked = finished.cpu_time > limit.mul_f64(0.8) && finished.cpu_time <= limit + start.cpu_time + LATE;
    worked || finished.time <= limit + start.time + LATE
}
