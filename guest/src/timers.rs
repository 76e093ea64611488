//! Timers. All timers are in one ordered map, so the host sleeps only for the next one.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    time::{Duration, Instant},
};

use javy::quickjs::{Ctx, Function, Persistent, Result};

thread_local! {
    static TIMERS: RefCell<Timers> = RefCell::default();
}

#[derive(Default)]
struct Timers {
    last_id: u32,
    /// Ordered by due time, then by age.
    due: BTreeMap<(Instant, u32), Timer>,
    times: HashMap<u32, Instant>,
}

struct Timer {
    callback: Persistent<Function<'static>>,
    repeat: Option<Duration>,
}

impl Timers {
    fn add(&mut self, id: u32, at: Instant, timer: Timer) {
        self.due.insert((at, id), timer);
        self.times.insert(id, at);
    }
}

/// Sets a timer and returns its id. The shortest interval is a millisecond.
pub fn set<'js>(ctx: Ctx<'js>, callback: Function<'js>, milliseconds: f64, repeat: bool) -> u32 {
    // As in browsers, an invalid delay counts as 0.
    let delay = if (0.0..2_147_483_648.0).contains(&milliseconds) { milliseconds } else { 0.0 };
    let delay = Duration::from_secs_f64(delay / 1e3);
    let timer = Timer {
        callback: Persistent::save(&ctx, callback),
        repeat: repeat.then_some(delay.max(Duration::from_millis(1))),
    };
    TIMERS.with_borrow_mut(|timers| {
        timers.last_id += 1;
        timers.add(timers.last_id, Instant::now() + delay, timer);
        timers.last_id
    })
}

/// Clears a timer, if it exists.
pub fn clear(id: f64) {
    let timer = TIMERS.with_borrow_mut(|timers| {
        let id = id as u32; // 0 for an invalid id, which no timer has
        let at = timers.times.remove(&id)?;
        timers.due.remove(&(at, id))
    });
    drop(timer); // outside the borrow: dropping a function may run code
}

/// Returns when the next timer is due.
pub fn next() -> Option<Instant> {
    TIMERS.with_borrow(|timers| timers.due.keys().next().map(|(at, _)| *at))
}

/// Runs the first timer that is due at `now`. Returns whether there was one.
pub fn run_due(ctx: &Ctx<'_>, now: Instant) -> Result<bool> {
    let due = TIMERS.with_borrow_mut(|timers| {
        let entry = timers.due.first_entry().filter(|entry| entry.key().0 <= now)?;
        let ((_, id), timer) = entry.remove_entry();
        timers.times.remove(&id);
        Some((id, timer))
    });
    let Some((id, timer)) = due else { return Ok(false) };
    let callback = timer.callback.clone().restore(ctx)?;
    if let Some(every) = timer.repeat {
        TIMERS.with_borrow_mut(|timers| timers.add(id, now + every, timer));
    }
    callback.call::<_, ()>(())?;
    Ok(true)
}
