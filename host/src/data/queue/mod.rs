//! Work queues: items, limits, and the operations on them. `queue.wit` is the contract.

mod check;
#[cfg(test)]
mod clock_test;
mod expiry;
#[cfg(test)]
mod kill_test;
mod live_checkouts;
#[cfg(test)]
mod model_test;
mod notify;
mod overview;
mod page;
mod purge;
mod queues;
mod state;
mod tables;
#[cfg(test)]
mod tests;
mod value;

use crate::{
    Error, ErrorCode,
    data::{
        self, failed,
        validate::{check_json, check_name, within},
    },
};
pub(crate) use notify::{FILE as NOTIFY_FILE, Notifier};
pub use overview::Overview;
pub(crate) use overview::overview;
pub use page::Page;
pub(crate) use page::{dead_letter, list};
pub use queues::Counts;
pub(crate) use state::ProcessState;
pub(crate) use tables::Tables;
pub use value::Item;

/// The longest name of a queue, in bytes.
const NAME_BYTES: usize = 255;
/// The longest stored error, in bytes; a longer one is truncated.
const ERROR_BYTES: usize = 8_192;
/// The shortest and the longest lease, in milliseconds.
const LEASE_MS: (u32, u32) = (1_000, 86_400_000);

/// The default length of a lease, in milliseconds.
pub(crate) const DEFAULT_LEASE_MS: u32 = 300_000;

/// How an item is enqueued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnqueueOptions {
    /// 0 is low, 1 normal, 2 high.
    pub priority: u8,
    /// How many times the item is retried after its first attempt has failed.
    pub max_retries: u32,
}

impl Default for EnqueueOptions {
    fn default() -> Self {
        Self { priority: 1, max_retries: 3 }
    }
}

/// Adds an item to a queue.
pub(crate) fn enqueue(
    t: &mut data::Tables<'_>,
    name: &str,
    data: &str,
    EnqueueOptions { priority, max_retries }: EnqueueOptions,
) -> Result<(), Error> {
    check_queue(name)?;
    within("data", data.len(), t.limits.item)?;
    check_json("data", data)?;
    if priority > tables::HIGHEST {
        return Err(Error::invalid(format!("options.priority must be one of 0, 1, 2, not {priority}")));
    }
    if max_retries > i32::MAX as u32 {
        let most = i32::MAX;
        return Err(Error::invalid(format!("options.maxRetries must be from 0 to {most}, not {max_retries}")));
    }
    // The row of the item, and the two rows of the queue.
    t.charge(3, data.len() + 2 * name.len())?;
    let now = expire(t)?;
    t.queue.enqueue(name, data, priority, max_retries, now).map_err(failed)
}

/// Checks out the next item.
pub(crate) fn dequeue(t: &mut data::Tables<'_>, name: &str, lease: u32) -> Result<Option<Item>, Error> {
    check_queue(name)?;
    check_lease(lease)?;
    let now = expire(t)?;
    t.queue.dequeue(name, lease, now).map_err(failed)
}

/// Ends a checkout whose work succeeded, and removes the item.
pub(crate) fn commit(t: &mut data::Tables<'_>, id: u64) -> Result<(), Error> {
    expire(t)?;
    if t.queue.commit(id).map_err(failed)? {
        return Ok(());
    }
    let message = if id == 0 || id > t.queue.last_id() {
        format!("there has never been a checkout {id}")
    } else if t.queue.has_expired(id).map_err(failed)? {
        format!("checkout {id} has expired, and its item has returned to the queue")
    } else {
        format!(
            "checkout {id} does not exist: it was never dequeued, or was committed, aborted, cleared or expired long ago"
        )
    };
    Err(Error::new(ErrorCode::NotFound, message))
}

/// Ends a checkout whose work failed: the item becomes pending again, or a dead letter. Returns false when the
/// item is not (or no longer) checked out under this id.
pub(crate) fn abort(t: &mut data::Tables<'_>, id: u64, error: Option<&str>) -> Result<bool, Error> {
    let error = error.map(|error| error[..error.floor_char_boundary(ERROR_BYTES)].to_owned());
    t.charge(1, error.as_ref().map_or(0, String::len))?;
    let now = expire(t)?;
    t.queue.abort(id, error, now).map_err(failed)
}

/// Returns the item that `dequeue` would return.
pub(crate) fn peek(t: &mut data::Tables<'_>, name: &str) -> Result<Option<Item>, Error> {
    check_queue(name)?;
    expire(t)?;
    t.queue.peek(name).map_err(failed)
}

/// Returns the number of pending items.
pub(crate) fn count(t: &mut data::Tables<'_>, name: &str) -> Result<u64, Error> {
    check_queue(name)?;
    expire(t)?;
    Ok(t.queue.counts(name).map_err(failed)?.pending)
}

/// Returns the number of dead letters.
pub(crate) fn dead_count(t: &mut data::Tables<'_>, name: &str) -> Result<u64, Error> {
    check_queue(name)?;
    expire(t)?;
    Ok(t.queue.counts(name).map_err(failed)?.dead)
}

/// Deletes all items of a queue.
pub(crate) fn clear(t: &mut data::Tables<'_>, name: &str) -> Result<(), Error> {
    check_queue(name)?;
    expire(t)?;
    t.queue.clear(name).map_err(failed)
}

/// Returns the names of the queues that contain an item in any state, ascending by their bytes.
pub(crate) fn queues(t: &mut data::Tables<'_>) -> Result<Vec<String>, Error> {
    expire(t)?;
    Ok(t.queue.names().map_err(failed)?.into_iter().map(|(name, _)| name).collect())
}

/// Sends a dead letter back to pending.
pub(crate) fn retry(t: &mut data::Tables<'_>, name: &str, id: u64) -> Result<(), Error> {
    check_queue(name)?;
    expire(t)?;
    if !t.queue.retry(name, id).map_err(failed)? {
        return Err(Error::new(ErrorCode::NotFound, format!("the queue has no dead letter {id}")));
    }
    Ok(())
}

/// Sends at most `most` of the oldest dead letters back to pending. Returns their number.
pub(crate) fn retry_oldest(t: &mut data::Tables<'_>, name: &str, most: usize) -> Result<u64, Error> {
    check_queue(name)?;
    expire(t)?;
    t.queue.retry_oldest(name, most).map_err(failed)
}

/// Renews the leases of checkouts. Returns the ids under which no item is (or no longer is) checked out.
pub(crate) fn renew(t: &mut data::Tables<'_>, ids: &[u64]) -> Result<Vec<u64>, Error> {
    // Before leases are ended: the run that renews these is alive, however long it has waited for the workspace.
    let (now, mut gone) = (t.now(), Vec::new());
    for id in ids {
        if !t.queue.renew(*id, now).map_err(failed)? {
            gone.push(*id);
        }
    }
    expire(t)?;
    Ok(gone)
}

/// Returns the milliseconds until waiters should poll again: 1 while leases are still being checked against the clock,
/// otherwise until the next lease ends.
pub(crate) fn until_next_poll(t: &data::Tables<'_>) -> Option<u64> {
    if t.queue.state.live_checkouts.has_unchecked_leases() {
        return Some(1);
    }
    let grace = t.queue.state.grace();
    t.queue.next_expiry.map(|expiry| expiry.saturating_add(grace).saturating_sub(t.now()))
}

/// Returns expired checkouts to their queues. The result is the current time in milliseconds.
fn expire(t: &mut data::Tables<'_>) -> Result<u64, Error> {
    let now = t.now();
    t.queue.expire(now).map_err(failed)?;
    Ok(now)
}

/// Calls `f` when no lease is left that has ended. Returns `None` if one call can't end them all: the caller calls again, and
/// other calls are executed in between.
pub(crate) fn after_expiry<T>(
    t: &mut data::Tables<'_>,
    f: impl FnOnce(&mut data::Tables<'_>) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    let now = expire(t)?;
    if t.queue.has_ended_leases(now) { Ok(None) } else { f(t).map(Some) }
}

pub(crate) fn check_queue(name: &str) -> Result<(), Error> {
    check_name("name", name, NAME_BYTES)
}

/// The run's time is over.
pub(crate) fn out_of_time() -> Error {
    Error::new(ErrorCode::Timeout, "the run's time ended before all expired checkouts had returned to their queues")
}

fn check_lease(lease: u32) -> Result<(), Error> {
    let (least, most) = LEASE_MS;
    if (least..=most).contains(&lease) {
        return Ok(());
    }
    Err(Error::invalid(format!("options.leaseMs must be from {least} to {most}, not {lease}")))
}
