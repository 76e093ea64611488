//! Queues of work. The contract stands in `queue.wit`.

mod access;
mod check;
#[cfg(test)]
mod clock_test;
mod held;
mod host;
#[cfg(test)]
mod kill_test;
mod lapse;
#[cfg(test)]
mod model_test;
mod notices;
mod overview;
mod page;
mod process;
mod queues;
mod tables;
#[cfg(test)]
mod tests;
mod tidy;
mod value;
mod wait;

use crate::{
    Error, ErrorCode,
    g::bounds::{check_json, check_name, within},
    workspace::{self, failed},
};
pub use access::Queues;
pub(crate) use check::{check, holds_nothing};
pub(crate) use held::Held;
pub(crate) use notices::FILE as NOTIFY;
pub use overview::Overview;
pub(crate) use overview::overview;
pub use page::Page;
pub(crate) use page::{dead_letter, list};
pub(crate) use process::Process;
pub use queues::Counts;
pub(crate) use tables::Tables;
pub use value::Item;

/// What an item and its queue may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The longest name of a queue, in bytes.
    pub(crate) name_bytes: usize,
    /// The largest item, in bytes of JSON.
    pub(crate) item_bytes: usize,
    /// The largest page of a list, in bytes of JSON.
    pub(crate) page_bytes: usize,
    /// How much of an error is kept, in bytes.
    pub(crate) error_bytes: usize,
    /// The shortest and the longest lease, in milliseconds.
    pub(crate) lease: (u32, u32),
    /// How often a run may wait at a time.
    pub(crate) waits: usize,
}

pub(crate) const LIMITS: Limits = Limits {
    name_bytes: 255,
    item_bytes: 16 << 20,
    page_bytes: 64 << 20,
    error_bytes: 8_192,
    lease: (1_000, 86_400_000),
    waits: 1_024,
};

/// How long the lease of a checkout is when nothing is said, in milliseconds.
pub(crate) const LEASE: u32 = 300_000;

/// How an item is queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Urgency {
    /// 0 is low, 1 normal, 2 high.
    pub priority: u8,
    /// How often it is tried again after its first try has failed.
    pub max_retries: u32,
}

impl Default for Urgency {
    fn default() -> Self {
        Self { priority: 1, max_retries: 3 }
    }
}

/// Adds an item to a queue.
pub(crate) fn enqueue(
    t: &mut workspace::Tables<'_>,
    name: &str,
    data: &str,
    Urgency { priority, max_retries }: Urgency,
) -> Result<(), Error> {
    check_queue(name)?;
    within("data", data.len(), LIMITS.item_bytes)?;
    check_json("data", data)?;
    if priority > tables::HIGHEST {
        return Err(Error::invalid(format!("options.priority must be one of 0, 1, 2, not {priority}")));
    }
    if max_retries > i32::MAX as u32 {
        let most = i32::MAX;
        return Err(Error::invalid(format!("options.maxRetries must be from 0 to {most}, not {max_retries}")));
    }
    // In the queue, and what is known of the queue.
    t.charge(3, data.len() + 2 * name.len())?;
    let now = lapse(t)?;
    t.queue.enqueue(name, data, priority, max_retries, now).map_err(failed)
}

/// Checks out the next item.
pub(crate) fn dequeue(t: &mut workspace::Tables<'_>, name: &str, lease: u32) -> Result<Option<Item>, Error> {
    check_queue(name)?;
    check_lease(lease)?;
    let now = lapse(t)?;
    t.queue.dequeue(name, lease, now).map_err(failed)
}

/// The work is done.
pub(crate) fn commit(t: &mut workspace::Tables<'_>, id: u64) -> Result<(), Error> {
    lapse(t)?;
    if t.queue.commit(id).map_err(failed)? {
        return Ok(());
    }
    let message = if id == 0 || id > t.queue.last_id() {
        format!("there has never been a checkout {id}")
    } else if t.queue.has_lapsed(id).map_err(failed)? {
        format!("checkout {id} has expired, and its item has returned to the queue")
    } else {
        format!(
            "checkout {id} does not exist: it was never dequeued, or was committed, aborted, cleared or expired long ago"
        )
    };
    Err(Error::new(ErrorCode::NotFound, message))
}

/// The work failed. False when the checkout is not live.
pub(crate) fn abort(t: &mut workspace::Tables<'_>, id: u64, error: Option<&str>) -> Result<bool, Error> {
    let error = error.map(|error| error[..error.floor_char_boundary(LIMITS.error_bytes)].to_owned());
    t.charge(1, error.as_ref().map_or(0, String::len))?;
    let now = lapse(t)?;
    t.queue.abort(id, error, now).map_err(failed)
}

/// The item that `dequeue` would give.
pub(crate) fn peek(t: &mut workspace::Tables<'_>, name: &str) -> Result<Option<Item>, Error> {
    check_queue(name)?;
    lapse(t)?;
    t.queue.peek(name).map_err(failed)
}

/// The number of pending items.
pub(crate) fn count(t: &mut workspace::Tables<'_>, name: &str) -> Result<u64, Error> {
    check_queue(name)?;
    lapse(t)?;
    Ok(t.queue.counts(name).map_err(failed)?.pending)
}

/// The number of dead letters.
pub(crate) fn dead_count(t: &mut workspace::Tables<'_>, name: &str) -> Result<u64, Error> {
    check_queue(name)?;
    Ok(t.queue.counts(name).map_err(failed)?.dead)
}

/// Deletes all items of a queue.
pub(crate) fn clear(t: &mut workspace::Tables<'_>, name: &str) -> Result<(), Error> {
    check_queue(name)?;
    lapse(t)?;
    t.queue.clear(name).map_err(failed)
}

/// The names of the queues that hold an item in any state, ascending by their bytes.
pub(crate) fn queues(t: &mut workspace::Tables<'_>) -> Result<Vec<String>, Error> {
    lapse(t)?;
    Ok(t.queue.names().map_err(failed)?.into_iter().map(|(name, _)| name).collect())
}

/// Sends a dead letter back to pending.
pub(crate) fn retry(t: &mut workspace::Tables<'_>, name: &str, id: u64) -> Result<(), Error> {
    check_queue(name)?;
    lapse(t)?;
    if !t.queue.retry(name, id).map_err(failed)? {
        return Err(Error::new(ErrorCode::NotFound, format!("the queue has no dead letter {id}")));
    }
    Ok(())
}

/// Sends the oldest dead letters back to pending, so many at the most. Gives how many there were.
pub(crate) fn retry_oldest(t: &mut workspace::Tables<'_>, name: &str, most: usize) -> Result<u64, Error> {
    check_queue(name)?;
    lapse(t)?;
    t.queue.retry_oldest(name, most).map_err(failed)
}

/// Lets the leases of checkouts begin anew. Gives those that are not live.
pub(crate) fn renew(t: &mut workspace::Tables<'_>, ids: &[u64]) -> Result<Vec<u64>, Error> {
    let now = lapse(t)?;
    let mut gone = Vec::new();
    for id in ids {
        if !t.queue.renew(*id, now).map_err(failed)? {
            gone.push(*id);
        }
    }
    Ok(gone)
}

/// In how many milliseconds the next lease ends, or it is to be looked again.
fn until_next_lapse(t: &workspace::Tables<'_>) -> Option<u64> {
    if t.queue.process.looks_back() {
        return Some(1);
    }
    t.queue.next_lapse.map(|lapse| lapse.saturating_sub(t.now()))
}

/// Gives back what has expired. Gives the time.
fn lapse(t: &mut workspace::Tables<'_>) -> Result<u64, Error> {
    let now = t.now();
    t.queue.lapse(now).map_err(failed)?;
    Ok(now)
}

fn check_queue(name: &str) -> Result<(), Error> {
    check_name("name", name, LIMITS.name_bytes)
}

fn check_lease(lease: u32) -> Result<(), Error> {
    let (least, most) = LIMITS.lease;
    if (least..=most).contains(&lease) {
        return Ok(());
    }
    Err(Error::invalid(format!("options.leaseMs must be from {least} to {most}, not {lease}")))
}
