//! Prints queues and items: as tables on a terminal, as JSON elsewhere.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ghost::queue::{Item, Overview, Page, iso};
use indicatif::HumanCount;
use serde::Serialize;

use crate::cli::{
    Exit, deliver,
    execute::print_result,
    input::quoted,
    json::{compact, print_json},
    table::{self, Side, Table},
    width::cut,
};

pub(super) fn queues(queues: &[Overview], json: bool) -> Exit {
    let Some(width) = table::width().filter(|_| !json) else {
        return print_json(&queues.iter().map(QueueLine::of).collect::<Vec<_>>());
    };
    if queues.is_empty() {
        return deliver("there are no queues");
    }
    deliver(&table(queues, width))
}

pub(in crate::cli) fn table(queues: &[Overview], width: usize) -> String {
    let header = [
        ("QUEUE", Side::Left),
        ("PENDING", Side::Right),
        ("CHECKED OUT", Side::Right),
        ("DEAD", Side::Right),
        ("OLDEST", Side::Right),
    ];
    let mut table = Table::new(header);
    for queue in queues {
        let [pending, checked_out, dead] = counts(queue);
        table.row([queue.name.clone(), pending, checked_out, dead, age(queue.oldest)]);
    }
    table.lines(width)
}

/// Returns the counts of pending, checked-out and dead items, formatted.
pub(super) fn counts(queue: &Overview) -> [String; 3] {
    let counts = queue.counts;
    [counts.pending, counts.checked_out, counts.dead].map(|count| HumanCount(count).to_string())
}

/// Returns the time that has passed since a moment: `12s`, `3m 12s`, `2days 4h`.
pub(super) fn age(time: Option<u64>) -> String {
    let Some(time) = time else { return "-".into() };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    span(now.saturating_sub(Duration::from_millis(time)))
}

/// Formats a duration in its two largest units, down to a second.
pub(super) fn span(time: Duration) -> String {
    let text = humantime::format_duration(Duration::from_secs(time.as_secs())).to_string();
    text.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

/// A queue as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::cli) struct QueueLine<'q> {
    name: &'q str,
    pending: u64,
    checked_out: u64,
    dead: u64,
    oldest_enqueued_at: Option<String>,
}

impl<'q> QueueLine<'q> {
    pub(in crate::cli) fn of(queue: &'q Overview) -> Self {
        let counts = queue.counts;
        Self {
            name: &queue.name,
            pending: counts.pending,
            checked_out: counts.checked_out,
            dead: counts.dead,
            oldest_enqueued_at: queue.oldest.map(iso),
        }
    }
}

/// Prints a page of the pending items; `count` is their total number.
pub(super) fn pending(items: &[Item], count: u64, page: Page, json: bool) -> Exit {
    let Some(width) = table::width().filter(|_| !json) else { return print_items(items) };
    let header = [
        ("ID", Side::Right),
        ("PRIORITY", Side::Left),
        ("TRIES", Side::Right),
        ("AGE", Side::Right),
        ("DATA", Side::Left),
        ("ERROR", Side::Left),
    ];
    let mut table = Table::new(header);
    for item in items {
        let (id, age) = (item.id.to_string(), age(Some(item.enqueued)));
        table.row([id, priority(item), tries(item), age, data(item), error(item)]);
    }
    print_page(table.lines(width), items, count, page, "pending item")
}

/// Prints a page of the dead letters; `count` is their total number.
pub(super) fn dead(items: &[Item], count: u64, page: Page, json: bool) -> Exit {
    let Some(width) = table::width().filter(|_| !json) else { return print_items(items) };
    let header = [
        ("ID", Side::Right),
        ("TRIES", Side::Right),
        ("DEAD FOR", Side::Right),
        ("ERROR", Side::Left),
        ("DATA", Side::Left),
    ];
    let mut table = Table::new(header);
    for item in items {
        // The error is more important, so the data gets a quarter of the line.
        let data = cut(&data(item), width / 4);
        table.row([item.id.to_string(), tries(item), age(item.dead_lettered), error(item), data]);
    }
    print_page(table.lines(width), items, count, page, "dead letter")
}

fn print_items(items: &[Item]) -> Exit {
    let items: Vec<_> = items.iter().map(item).collect();
    print_result(&format!("[{}]", items.join(",")))
}

/// Prints a table, and states the rows that it does not show.
fn print_page(table: String, items: &[Item], count: u64, page: Page, what: &str) -> Exit {
    let rest = table::rest(items.len(), page.limit, page.offset, count, what);
    let table = (!items.is_empty()).then_some(table);
    deliver(&table.into_iter().chain(rest).collect::<Vec<_>>().join("\n"))
}

fn priority(item: &Item) -> String {
    match item.priority {
        0 => "low".into(),
        1 => "normal".into(),
        _ => "high".into(),
    }
}

fn tries(item: &Item) -> String {
    format!("{} of {}", item.attempts, u64::from(item.max_retries) + 1)
}

fn error(item: &Item) -> String {
    item.last_error.clone().unwrap_or_default()
}

fn data(item: &Item) -> String {
    compact(&item.data).into_owned()
}

/// Returns an item as JSON, with the members of the JavaScript object. Its data is inserted as it is stored.
fn item(item: &Item) -> String {
    let mut text = format!(
        "{{\"id\":{},\"data\":{},\"priority\":{},\"attempts\":{},\"maxRetries\":{},\"enqueuedAt\":\"{}\"",
        item.id,
        compact(&item.data),
        item.priority,
        item.attempts,
        item.max_retries,
        iso(item.enqueued)
    );
    let mut member = |name: &str, value: Option<String>| {
        text += &value.map(|value| format!(",\"{name}\":{value}")).unwrap_or_default();
    };
    member("lastAttemptAt", item.last_attempt.map(|time| quoted(&iso(time))));
    member("lastError", item.last_error.as_deref().map(quoted));
    member("deadLetteredAt", item.dead_lettered.map(|time| quoted(&iso(time))));
    text + "}"
}
