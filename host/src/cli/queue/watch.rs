//! `ghost queue watch`: shows counts, the age of the oldest item that is next in its priority, and rates each second.

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
    problem::Problem,
    screen::Screen,
    table::{Side, Table, counted},
    terminal::{escape, escape_json},
    unwritable,
};

const REFRESH_INTERVAL: Duration = Duration::from_secs(1);
/// How often to check for a signal, and for a resized terminal.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The counts of a queue, and its rates since the previous sample.
struct Sample {
    queue: Overview,
    /// Items per second; none in the first sample.
    enqueued: Option<f64>,
    committed: Option<f64>,
}

/// The line that is printed each second where standard output is not a terminal.
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

/// The last samples.
#[derive(Default)]
struct Samples {
    /// The only queue to show; none for all.
    only: Option<String>,
    samples: Vec<Sample>,
    /// When they were taken.
    at: Option<Instant>,
    /// Why there are no newer ones: another process holds the workspace.
    busy: Option<ghost::Error>,
}

pub(super) fn run(workspace: &Workspace, only: Option<&str>, json: bool) -> Result<Exit, Problem> {
    let stop = interrupt::flag_with_grace(interrupt::GRACE)?;
    workspace.interrupt_when(Arc::clone(&stop));
    let mut screen = Screen::of_stdout().filter(|_| !json);
    let mut samples = Samples { only: only.map(Into::into), ..Samples::default() };
    while !stop.load(Ordering::Acquire) {
        let began = Instant::now();
        // Waits for another process at most until the next sample, and then reports it.
        let found = Queues::until(workspace, began + REFRESH_INTERVAL).overview();
        if stop.load(Ordering::Acquire) {
            break;
        }
        samples.record(found)?;
        let mut shown = match &mut screen {
            Some(screen) => screen.draw(&samples.text(screen.room())),
            None => print(&samples.line()),
        };
        while shown.is_ok() && began.elapsed() < REFRESH_INTERVAL && !stop.load(Ordering::Acquire) {
            thread::sleep(POLL_INTERVAL);
            if let Some(screen) = screen.as_mut().filter(|screen| screen.was_resized()) {
                shown = screen.draw(&samples.text(screen.room()));
            }
        }
        match shown {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Exit::Success),
            shown => shown.map_err(|error| Problem::failed(unwritable(&error)))?,
        }
    }
    Ok(Exit::Interrupted)
}

fn print(line: &Line<'_>) -> io::Result<()> {
    let json = serde_json::to_string(line)?;
    let mut out = io::stdout().lock();
    let shown = if out.is_terminal() { escape_json(&json) } else { json.as_str().into() };
    writeln!(out, "{shown}").and_then(|()| out.flush())
}

impl Samples {
    fn record(&mut self, found: Result<Vec<Overview>, ghost::Error>) -> Result<(), ghost::Error> {
        let mut found = match found {
            Err(error) if error.code == ErrorCode::Busy => {
                self.busy = Some(error);
                return Ok(());
            }
            found => found?,
        };
        found.retain(|queue| self.only.as_ref().is_none_or(|only| queue.name == *only));
        let now = Instant::now();
        let before = self.at.map(|at| {
            let counts = self.samples.drain(..).map(|sample| (sample.queue.name, sample.queue.counts)).collect();
            (counts, now.duration_since(at))
        });
        self.samples = found.into_iter().map(|queue| sample(queue, before.as_ref())).collect();
        (self.at, self.busy) = (Some(now), None);
        Ok(())
    }

    fn line(&self) -> Line<'_> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let state = match &self.busy {
            Some(error) => State::Error { code: "BUSY", message: &error.message },
            None => State::Queues(self.samples.iter().map(Sample::rates).collect()),
        };
        Line { time: iso(u64::try_from(now).unwrap_or(u64::MAX)), state }
    }

    /// Formats the table for a size, with the reason for missing updates below it.
    fn text(&self, (width, height): (usize, usize)) -> String {
        let busy = self.busy.as_ref().map(|error| self.busy_text(error));
        let room = height.saturating_sub(usize::from(busy.is_some()));
        let table = self
            .at
            .map(|_| if self.samples.is_empty() { self.empty_text() } else { table(&self.samples, width, room) });
        table.into_iter().chain(busy).collect::<Vec<_>>().join("\n")
    }

    /// Returns the text for no queue. A queue exists while it contains an item, so it may still appear.
    fn empty_text(&self) -> String {
        self.only
            .as_ref()
            .map_or("there are no queues".into(), |name| format!("there is currently no queue {}", escape(name)))
    }

    fn busy_text(&self, error: &ghost::Error) -> String {
        let process = error.details.as_ref().and_then(|details| details["process"].as_u64());
        let who = process.map_or("another process".into(), |id| format!("process {id}"));
        let since = self.at.map(|at| format!("; these counts are {} old", span(at.elapsed())));
        format!("{who} holds the workspace{}", since.unwrap_or_default())
    }
}

fn sample(queue: Overview, before: Option<&(HashMap<String, Counts>, Duration)>) -> Sample {
    let now = queue.counts;
    let rate = |count: fn(&Counts) -> u64| {
        let (before, passed) = before?;
        // A new queue counts from 0, and so does a queue that was empty in between.
        let before = before.get(&queue.name).map_or(0, count);
        let more = count(&now).checked_sub(before).unwrap_or(count(&now));
        Some(more as f64 / passed.as_secs_f64().max(0.001))
    };
    let (enqueued, committed) = (rate(|counts| counts.enqueued), rate(|counts| counts.committed));
    Sample { queue, enqueued, committed }
}

impl Sample {
    fn rates(&self) -> QueueRates<'_> {
        QueueRates {
            queue: QueueLine::of(&self.queue),
            enqueued_per_second: self.enqueued.map(f64::round),
            committed_per_second: self.committed.map(f64::round),
        }
    }
}

fn table(samples: &[Sample], width: usize, height: usize) -> String {
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
    // One line is for the header; if not all queues fit, one more is for their number.
    let room = height.saturating_sub(1);
    let shown = if samples.len() <= room { samples.len() } else { room.saturating_sub(1) };
    for Sample { queue, enqueued, committed } in &samples[..shown] {
        let [pending, checked_out, dead] = counts(queue);
        let rates = [enqueued, committed].map(|rate| rate.map_or("-".into(), |rate| format!("{rate:.0}")));
        let [enqueued, committed] = rates;
        table.row([queue.name.clone(), pending, checked_out, dead, age(queue.oldest), enqueued, committed]);
    }
    let text = table.lines(width);
    match samples.len() - shown {
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
    fn the_last_counts_stay_while_another_process_has_the_workspace() {
        let mut samples = Samples { only: Some("q".into()), ..Samples::default() };
        samples.record(Err(busy())).unwrap();
        assert_eq!(samples.text((80, 24)), "process 7 holds the workspace");
        let line = |samples: &Samples| serde_json::to_string(&samples.line()).unwrap();
        assert!(line(&samples).ends_with(r#""error":{"code":"BUSY","message":"process 7 holds the workspace"}}"#));
        samples.record(Ok(vec![queue("q", 3), queue("other", 1)])).unwrap();
        let table = "QUEUE  PENDING  CHECKED OUT  DEAD  OLDEST  IN/S  DONE/S\nq            3            0     0       -     -       -";
        assert_eq!(samples.text((80, 24)), table);
        samples.record(Err(busy())).unwrap();
        assert_eq!(samples.text((80, 24)), format!("{table}\nprocess 7 holds the workspace; these counts are 0s old"));
        samples.record(Ok(vec![queue("q", 9)])).unwrap();
        let counts =
            r#""queues":[{"name":"q","pending":9,"checkedOut":0,"dead":0,"oldestEnqueuedAt":null,"enqueuedPerSecond":"#;
        assert!(line(&samples).contains(counts), "{}", line(&samples));
        assert!(samples.samples[0].enqueued > Some(0.0));
    }

    #[test]
    fn a_missing_queue_may_appear() {
        let mut samples = Samples { only: Some("q".into()), ..Samples::default() };
        samples.record(Ok(vec![queue("other", 1)])).unwrap();
        assert_eq!(samples.text((80, 24)), "there is currently no queue q");
        samples.record(Ok(vec![queue("q", 1)])).unwrap();
        assert!(samples.text((80, 24)).contains("\nq "));
    }

    #[test]
    fn queues_that_do_not_fit_are_counted() {
        let mut samples = Samples::default();
        samples.record(Ok((0..9).map(|index| queue(&format!("q{index}"), 1)).collect())).unwrap();
        assert_eq!(samples.text((80, 10)).lines().count(), 10);
        let text = samples.text((80, 5));
        assert_eq!((text.lines().count(), text.lines().last()), (5, Some("… 6 queues more")));
        samples.record(Err(busy())).unwrap();
        let text = samples.text((80, 5));
        assert_eq!((text.lines().count(), text.lines().nth(3)), (5, Some("… 7 queues more")));
    }

    #[test]
    fn permanent_errors_end_the_command() {
        let gone = ghost::Error::new(ErrorCode::NoWorkspace, "there is no workspace");
        assert!(Samples::default().record(Err(gone)).is_err());
    }
}
