//! `ghost queue watch`: counts, oldest item and rates, anew each second.

use std::{
    collections::HashMap,
    io::{self, IsTerminal, Write},
    sync::{Arc, atomic::Ordering},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use ghost::{
    ErrorCode,
    queue::{Counts, Overview, Queues, iso},
    workspace::Workspace,
};
use serde::Serialize;

use super::show::{QueueLine, age, counts, span};
use crate::cli::{
    Exit, interrupt,
    screen::Screen,
    table::{Side, Table, counted},
    terminal::{harmless, harmless_json},
    trouble::Trouble,
    unwritable,
};

const EVERY: Duration = Duration::from_secs(1);
/// How long it takes to end, and to notice that the terminal has another size.
const STEP: Duration = Duration::from_millis(50);

/// A queue, and how fast items came and went since the look before.
struct Look {
    queue: Overview,
    /// Items a second. At the first look nothing is known.
    enqueued: Option<f64>,
    committed: Option<f64>,
}

/// What is printed each second where standard output is no terminal.
#[derive(Serialize)]
struct Line<'s> {
    time: String,
    #[serde(flatten)]
    state: State<'s>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum State<'s> {
    Queues(Vec<QueueRates<'s>>),
    Error { code: &'static str, message: &'s str },
}

/// A queue with its rates.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct QueueRates<'s> {
    #[serde(flatten)]
    queue: QueueLine<'s>,
    enqueued_per_second: Option<f64>,
    committed_per_second: Option<f64>,
}

/// What was seen last.
#[derive(Default)]
struct Seen {
    /// The only queue that is looked at.
    only: Option<String>,
    looks: Vec<Look>,
    /// When that was.
    at: Option<Instant>,
    /// Why there is nothing newer: another process holds the workspace.
    held: Option<ghost::Error>,
}

pub(super) fn run(workspace: &Workspace, only: Option<&str>, json: bool) -> Result<Exit, Trouble> {
    let stop = interrupt::flag_with_grace(interrupt::GRACE)?;
    workspace.interrupt_when(Arc::clone(&stop));
    let mut screen = Screen::of_stdout().filter(|_| !json);
    let mut seen = Seen { only: only.map(Into::into), ..Seen::default() };
    while !stop.load(Ordering::Acquire) {
        let began = Instant::now();
        // It waits for another process no longer than until the next look: then it is told.
        let found = Queues::until(workspace, began + EVERY).overview();
        if stop.load(Ordering::Acquire) {
            break;
        }
        seen.note(found)?;
        let mut shown = match &mut screen {
            Some(screen) => screen.draw(&seen.text(screen.room())),
            None => print(&seen.line()),
        };
        while shown.is_ok() && began.elapsed() < EVERY && !stop.load(Ordering::Acquire) {
            thread::sleep(STEP);
            if let Some(screen) = screen.as_mut().filter(|screen| screen.was_resized()) {
                shown = screen.draw(&seen.text(screen.room()));
            }
        }
        match shown {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Exit::Success),
            shown => shown.map_err(|error| Trouble::failed(unwritable(&error)))?,
        }
    }
    Ok(Exit::Interrupted)
}

fn print(line: &Line<'_>) -> io::Result<()> {
    let json = serde_json::to_string(line)?;
    let mut out = io::stdout().lock();
    let shown = if out.is_terminal() { harmless_json(&json) } else { json.as_str().into() };
    writeln!(out, "{shown}").and_then(|()| out.flush())
}

impl Seen {
    fn note(&mut self, found: Result<Vec<Overview>, ghost::Error>) -> Result<(), ghost::Error> {
        let mut found = match found {
            Err(error) if error.code == ErrorCode::Busy => {
                self.held = Some(error);
                return Ok(());
            }
            found => found?,
        };
        found.retain(|queue| self.only.as_ref().is_none_or(|only| queue.name == *only));
        let now = Instant::now();
        let before = self.at.map(|at| {
            let counts = self.looks.drain(..).map(|look| (look.queue.name, look.queue.counts)).collect();
            (counts, now.duration_since(at))
        });
        self.looks = found.into_iter().map(|queue| look(queue, before.as_ref())).collect();
        (self.at, self.held) = (Some(now), None);
        Ok(())
    }

    fn line(&self) -> Line<'_> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let state = match &self.held {
            Some(error) => State::Error { code: "BUSY", message: &error.message },
            None => State::Queues(self.looks.iter().map(Look::rates).collect()),
        };
        Line { time: iso(u64::try_from(now).unwrap_or(u64::MAX)), state }
    }

    /// So wide and so high at the most, with what is in the way below the table.
    fn text(&self, (width, height): (usize, usize)) -> String {
        let held = self.held.as_ref().map(|error| self.old(error));
        let room = height.saturating_sub(usize::from(held.is_some()));
        let table =
            self.at.map(|_| if self.looks.is_empty() { self.nothing() } else { table(&self.looks, width, room) });
        table.into_iter().chain(held).collect::<Vec<_>>().join("\n")
    }

    /// A queue is there while it holds an item: one that is not may come.
    fn nothing(&self) -> String {
        self.only
            .as_ref()
            .map_or("there are no queues".into(), |name| format!("there is no queue {} now", harmless(name)))
    }

    fn old(&self, error: &ghost::Error) -> String {
        let process = error.details.as_ref().and_then(|details| details["process"].as_u64());
        let who = process.map_or("another process".into(), |id| format!("process {id}"));
        let since = self.at.map(|at| format!("; this was {} ago", span(at.elapsed())));
        format!("{who} holds the workspace{}", since.unwrap_or_default())
    }
}

fn look(queue: Overview, before: Option<&(HashMap<String, Counts>, Duration)>) -> Look {
    let now = queue.counts;
    let rate = |count: fn(&Counts) -> u64| {
        let (before, passed) = before?;
        // A queue that is new has counted from 0; one that was empty meanwhile has begun to count anew.
        let before = before.get(&queue.name).map_or(0, count);
        let more = count(&now).checked_sub(before).unwrap_or(count(&now));
        Some(more as f64 / passed.as_secs_f64().max(0.001))
    };
    let (enqueued, committed) = (rate(|counts| counts.enqueued), rate(|counts| counts.committed));
    Look { queue, enqueued, committed }
}

impl Look {
    fn rates(&self) -> QueueRates<'_> {
        QueueRates {
            queue: QueueLine::of(&self.queue),
            enqueued_per_second: self.enqueued.map(f64::round),
            committed_per_second: self.committed.map(f64::round),
        }
    }
}

fn table(looks: &[Look], width: usize, height: usize) -> String {
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
    // A line for the header, and where not all fit one that says so.
    let room = height.saturating_sub(1);
    let shown = if looks.len() <= room { looks.len() } else { room.saturating_sub(1) };
    for Look { queue, enqueued, committed } in &looks[..shown] {
        let [pending, checked_out, dead] = counts(queue);
        let rates = [enqueued, committed].map(|rate| rate.map_or("-".into(), |rate| format!("{rate:.0}")));
        let [enqueued, committed] = rates;
        table.row([queue.name.clone(), pending, checked_out, dead, age(queue.oldest), enqueued, committed]);
    }
    let text = table.lines(width);
    match looks.len() - shown {
        0 => text,
        more => format!("{text}\n… {} more", counted(more as u64, "queue")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(name: &str, enqueued: u64) -> Overview {
        Overview {
            name: name.into(),
            counts: Counts { pending: enqueued, enqueued, ..Counts::default() },
            oldest: None,
        }
    }

    fn busy() -> ghost::Error {
        let mut error = ghost::Error::new(ErrorCode::Busy, "process 7 holds the workspace");
        error.details = Some(serde_json::json!({ "process": 7 }));
        error
    }

    #[test]
    fn what_was_seen_stays_while_another_process_holds_the_workspace() {
        let mut seen = Seen { only: Some("q".into()), ..Seen::default() };
        seen.note(Err(busy())).unwrap();
        assert_eq!(seen.text((80, 24)), "process 7 holds the workspace");
        let line = |seen: &Seen| serde_json::to_string(&seen.line()).unwrap();
        assert!(line(&seen).ends_with(r#""error":{"code":"BUSY","message":"process 7 holds the workspace"}}"#));
        seen.note(Ok(vec![queue("q", 3), queue("other", 1)])).unwrap();
        let table = "QUEUE  PENDING  CHECKED OUT  DEAD  OLDEST  IN/S  DONE/S\nq            3            0     0       -     -       -";
        assert_eq!(seen.text((80, 24)), table);
        seen.note(Err(busy())).unwrap();
        assert_eq!(seen.text((80, 24)), format!("{table}\nprocess 7 holds the workspace; this was 0s ago"));
        seen.note(Ok(vec![queue("q", 9)])).unwrap();
        let counts =
            r#""queues":[{"name":"q","pending":9,"checkedOut":0,"dead":0,"oldestEnqueuedAt":null,"enqueuedPerSecond":"#;
        assert!(line(&seen).contains(counts), "{}", line(&seen));
        assert!(seen.looks[0].enqueued > Some(0.0));
    }

    #[test]
    fn a_queue_that_is_not_there_may_come() {
        let mut seen = Seen { only: Some("q".into()), ..Seen::default() };
        seen.note(Ok(vec![queue("other", 1)])).unwrap();
        assert_eq!(seen.text((80, 24)), "there is no queue q now");
        seen.note(Ok(vec![queue("q", 1)])).unwrap();
        assert!(seen.text((80, 24)).contains("\nq "));
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let mut seen = Seen::default();
        seen.note(Ok((0..9).map(|index| queue(&format!("q{index}"), 1)).collect())).unwrap();
        assert_eq!(seen.text((80, 10)).lines().count(), 10);
        let text = seen.text((80, 5));
        assert_eq!((text.lines().count(), text.lines().last()), (5, Some("… 6 queues more")));
        seen.note(Err(busy())).unwrap();
        let text = seen.text((80, 5));
        assert_eq!((text.lines().count(), text.lines().nth(3)), (5, Some("… 7 queues more")));
    }

    #[test]
    fn errors_that_will_not_pass_end_it() {
        let gone = ghost::Error::new(ErrorCode::NoWorkspace, "there is no workspace");
        assert!(Seen::default().note(Err(gone)).is_err());
    }
}
