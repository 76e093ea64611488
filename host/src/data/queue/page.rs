//! A page of a queue. Its cost is that of the items that it skips and returns, whatever the size of the queue.

use redb::{AccessGuard, Error as StorageError, Key, Range, ReadableTable};

use super::{
    Tables, check_queue, expire,
    value::{Item, Row, damaged, dead_of_queue},
};
use crate::{
    Error, ErrorCode,
    data::{self, failed, validate::size},
};

/// Which items a page contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// The maximum number of items.
    pub limit: u32,
    /// The number of items to skip before the first.
    pub offset: u32,
}

impl Default for Page {
    fn default() -> Self {
        Self { limit: 100, offset: 0 }
    }
}

/// Returns a page of the pending items, in the order of `dequeue`.
pub(crate) fn list(t: &mut data::Tables<'_>, name: &str, page: Page) -> Result<Vec<Item>, Error> {
    check_queue(name)?;
    expire(t)?;
    let limit = t.limits.page;
    pending(&mut t.queue, name, page, limit).map_err(failed)?.ok_or_else(|| too_large(limit))
}

/// Returns a page of the dead letters, oldest first.
pub(crate) fn dead_letter(t: &mut data::Tables<'_>, name: &str, page: Page) -> Result<Vec<Item>, Error> {
    check_queue(name)?;
    expire(t)?;
    let limit = t.limits.page;
    dead(&mut t.queue, name, page, limit).map_err(failed)?.ok_or_else(|| too_large(limit))
}

fn too_large(limit: usize) -> Error {
    let limit = size(limit);
    Error::new(ErrorCode::Limit, format!("the page is larger than {limit}: ask for fewer items with limit"))
}

/// Returns `None` if the data and the errors of the items are larger than `bytes`.
pub(super) fn pending(
    tables: &mut Tables<'_>,
    name: &str,
    page: Page,
    bytes: usize,
) -> Result<Option<Vec<Item>>, StorageError> {
    let Some(queue) = tables.queues.number(name)? else { return Ok(Some(Vec::new())) };
    let count = tables.queues.counts(queue)?.unwrap_or_default().pending;
    let rows = tables.pending.range((queue, 0, 0)..(queue + 1, 0, 0))?;
    take(rows, count, page, bytes, |key, row| tables.item(key.2, Row::of_queue(queue, key, row)?))
}

fn dead(tables: &mut Tables<'_>, name: &str, page: Page, bytes: usize) -> Result<Option<Vec<Item>>, StorageError> {
    let Some(queue) = tables.queues.number(name)? else { return Ok(Some(Vec::new())) };
    let count = tables.queues.counts(queue)?.unwrap_or_default().dead;
    let rows = tables.dead.range((queue, 0)..(queue + 1, 0))?;
    take(rows, count, page, bytes, |key, row| {
        let (time, row) = dead_of_queue(queue, key, row)?;
        Ok(Item { dead_lettered: Some(time), ..tables.item(key.1, row)? })
    })
}

/// Returns a page of rows; `None` if it is larger than `room` bytes. `count` is the stored number of rows: a corrupt
/// table may look like one with more or fewer.
fn take<K: Key>(
    mut rows: Range<'_, K, &'static [u8]>,
    count: u64,
    page: Page,
    mut room: usize,
    item: impl for<'a> Fn(K::SelfType<'a>, &'a [u8]) -> Result<Item, StorageError>,
) -> Result<Option<Vec<Item>>, StorageError> {
    if u64::from(page.offset) >= count {
        return Ok(Some(Vec::new()));
    }
    if page.offset > 0 {
        rows.nth(page.offset as usize - 1).ok_or_else(damaged)??;
    }
    let mut items = Vec::new();
    for row in rows.take(page.limit as usize) {
        let (key, row): (AccessGuard<'_, K>, _) = row?;
        let item = item(key.value(), row.value())?;
        let size = item.data.len() + item.last_error.as_ref().map_or(0, String::len);
        if size > room {
            return Ok(None);
        }
        room -= size;
        items.push(item);
    }
    if items.len() as u64 != (count - u64::from(page.offset)).min(page.limit.into()) {
        return Err(damaged());
    }
    Ok(Some(items))
}
