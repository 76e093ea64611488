//! How queues and items are shown: tables on a terminal, JSON elsewhere.

use std::{
    borrow::Cow,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use ghost::queue::{Item, Overview, Page, iso};
use indicatif::HumanCount;
use serde_json::{Value, json};

use crate::cli::{
    Exit, deliver,
    execute::print_result,
    input::quoted,
    table::{self, Side, Table},
};

pub(super) fn queues(queues: &[Overview], json: bool) -> Exit {
    let Some(width) = table::width().filter(|_| !json) else {
        return print_result(&Value::from_iter(queues.iter().map(to_json)).to_string());
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

/// Pending, checked out, dead.
pub(super) fn counts(queue: &Overview) -> [String; 3] {
    let counts = queue.counts;
    [counts.pending, counts.checked_out, counts.dead].map(|count| HumanCount(count).to_string())
}

/// How long ago that was: `12s`, `3m 12s`, `2days 4h`.
pub(super) fn age(time: Option<u64>) -> String {
    let Some(time) = time else { return "-".into() };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    span(now.saturating_sub(Duration::from_millis(time)))
}

/// A time in its two largest units, of a second at least.
pub(super) fn span(time: Duration) -> String {
    let text = humantime::format_duration(Duration::from_secs(time.as_secs())).to_string();
    text.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

pub(in crate::cli) fn to_json(queue: &Overview) -> Value {
    let counts = queue.counts;
    json!({
        "name": queue.name,
        "pending": counts.pending,
        "checkedOut": counts.checked_out,
        "dead": counts.dead,
        "oldestEnqueuedAt": queue.oldest.map(iso),
    })
}

/// A page of the pending items or the dead letters, of which there are so many.
pub(super) fn items(items: &[Item], count: u64, page: Page, json: bool) -> Exit {
    let Some(width) = table::width().filter(|_| !json) else {
        let items: Vec<_> = items.iter().map(item).collect();
        return print_result(&format!("[{}]", items.join(",")));
    };
    if items.is_empty() {
        return deliver("there are none");
    }
    let header = [
        ("ID", Side::Right),
        ("PRIORITY", Side::Right),
        ("ATTEMPTS", Side::Right),
        ("ENQUEUED", Side::Left),
        ("ERROR", Side::Left),
        ("DATA", Side::Left),
    ];
    let mut table = Table::new(header);
    for item in items {
        let tries = format!("{} of {}", item.attempts, u64::from(item.max_retries) + 1);
        let error = item.last_error.clone().unwrap_or_default();
        let enqueued = iso(item.enqueued / 1_000 * 1_000).replace(".000Z", "Z");
        table.row([item.id.to_string(), priority(item), tries, enqueued, error, item.data.clone()]);
    }
    let next = u64::from(page.offset) + items.len() as u64;
    let more = count.saturating_sub(next);
    let mut text = table.lines(width);
    if more > 0 {
        text += &format!("\n… {} more of {}: --offset {next}", HumanCount(more), HumanCount(count));
    }
    deliver(&text)
}

fn priority(item: &Item) -> String {
    match item.priority {
        0 => "low".into(),
        1 => "normal".into(),
        _ => "high".into(),
    }
}

/// An item as scripts see it. Its data is JSON already, and handed on as it stands.
fn item(item: &Item) -> String {
    let mut text = format!(
        "{{\"id\":{},\"data\":{},\"priority\":{},\"attempts\":{},\"maxRetries\":{},\"enqueuedAt\":\"{}\"",
        item.id,
        one_line(&item.data),
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

/// JSON on one line: where a control character may stand, it means nothing.
pub(super) fn one_line(json: &str) -> Cow<'_, str> {
    const MEANINGLESS: [char; 3] = ['\n', '\r', '\t'];
    if json.contains(MEANINGLESS) { json.replace(MEANINGLESS, " ").into() } else { json.into() }
}
