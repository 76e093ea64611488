//! `ghost queue watch`: counts, oldest item and rates, anew each second.

use std::{
    collections::HashMap,
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use ghost::{
    queue::{Counts, Overview, Queues},
    workspace::Workspace,
};
use serde_json::Value;

use super::show::{age, counts, to_json};
use crate::cli::{
    Exit, interrupt,
    table::{self, Side, Table},
    trouble::Trouble,
};

const EVERY: Duration = Duration::from_secs(1);
/// How long it takes to end.
const STEP: Duration = Duration::from_millis(50);

/// A look at the queues, and how fast items came and went since the one before.
struct Look {
    queue: Overview,
    /// Items a second. At the first look nothing is known.
    enqueued: Option<f64>,
    committed: Option<f64>,
}

pub(super) fn run(workspace: &Workspace, only: Option<&str>, json: bool) -> Result<Exit, Trouble> {
    let stop = interrupt::flag_with_grace()?;
    workspace.interrupt_when(Arc::clone(&stop));
    let mut queues = Queues::of(workspace);
    let (mut before, mut since) = (None, Instant::now());
    let mut lines = 0;
    while !stop.load(Ordering::Acquire) {
        let mut found = match queues.overview() {
            Err(_) if stop.load(Ordering::Acquire) => break,
            found => found?,
        };
        found.retain(|queue| only.is_none_or(|only| queue.name == only));
        let passed = since.elapsed().as_secs_f64();
        since = Instant::now();
        let looks: Vec<_> = found.into_iter().map(|queue| look(queue, before.as_ref(), passed)).collect();
        let shown = match table::width().filter(|_| !json) {
            Some(width) => redraw(&table(&looks, width), &mut lines),
            None => writeln!(io::stdout(), "{}", Value::from_iter(looks.iter().map(line))),
        };
        match shown.and_then(|()| io::stdout().flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Exit::Success),
            shown => shown.map_err(|error| Trouble::failed(format!("standard output can't be written: {error}")))?,
        }
        before = Some(looks.into_iter().map(|look| (look.queue.name, look.queue.counts)).collect());
        pause(&stop);
    }
    Ok(Exit::Interrupted)
}

fn pause(stop: &AtomicBool) {
    let started = Instant::now();
    while started.elapsed() < EVERY && !stop.load(Ordering::Acquire) {
        thread::sleep(STEP);
    }
}

fn look(queue: Overview, before: Option<&HashMap<String, Counts>>, seconds: f64) -> Look {
    let now = queue.counts;
    let rate = |count: fn(&Counts) -> u64| {
        // A queue that is new has counted from 0; one that was empty meanwhile has begun to count anew.
        let before = before?.get(&queue.name).map_or(0, count);
        let more = count(&now).checked_sub(before).unwrap_or(count(&now));
        Some(more as f64 / seconds.max(0.001))
    };
    let (enqueued, committed) = (rate(|counts| counts.enqueued), rate(|counts| counts.committed));
    Look { queue, enqueued, committed }
}

fn line(look: &Look) -> Value {
    let mut line = to_json(&look.queue);
    line["enqueuedPerSecond"] = look.enqueued.map(f64::round).into();
    line["committedPerSecond"] = look.committed.map(f64::round).into();
    line
}

fn table(looks: &[Look], width: usize) -> String {
    if looks.is_empty() {
        return "there are no queues".into();
    }
    let header = [
        ("QUEUE", Side::Left),
        ("PENDING", Side::Right),
        ("CHECKED OUT", Side::Right),
        ("DEAD", Side::Right),
        ("OLDEST", Side::Right),
        ("IN/S", Side::Right),
        ("DONE/S", Side::Right),
    ];
    let mut table = Table::new(header);
    for Look { queue, enqueued, committed } in looks {
        let [pending, checked_out, dead] = counts(queue);
        let rates = [enqueued, committed].map(|rate| rate.map_or("-".into(), |rate| format!("{rate:.0}")));
        let [enqueued, committed] = rates;
        table.row([queue.name.clone(), pending, checked_out, dead, age(queue.oldest), enqueued, committed]);
    }
    table.lines(width)
}

/// Writes over what was drawn last, line by line, and clears only what is left of it: nothing flickers.
fn redraw(text: &str, lines: &mut usize) -> io::Result<()> {
    let mut drawn = String::new();
    if *lines > 0 {
        drawn += &format!("\x1b[{lines}A\r");
    }
    text.lines().for_each(|line| drawn += &format!("{line}\x1b[K\n"));
    drawn += "\x1b[J";
    *lines = text.lines().count();
    io::stdout().write_all(drawn.as_bytes())
}
