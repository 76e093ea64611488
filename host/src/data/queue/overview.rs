//! An overview of all queues.

use redb::{Error as StorageError, ReadableTable};

use super::{Tables, expire, queues::Counts, tables::HIGHEST, value::Row};
use crate::{
    Error,
    data::{self, failed},
};

/// The overview of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overview {
    /// The name of the queue.
    pub name: String,
    /// The numbers of its items.
    pub counts: Counts,
    /// The earliest time at which one of the items that are next in their priority was enqueued, in milliseconds since
    /// 1970; `None` if no item is pending.
    pub oldest: Option<u64>,
}

/// Returns the overviews of all queues, ascending by name.
pub(crate) fn overview(t: &mut data::Tables<'_>) -> Result<Vec<Overview>, Error> {
    expire(t)?;
    t.queue.overview().map_err(failed)
}

impl Tables<'_> {
    pub(super) fn names(&mut self) -> Result<Vec<(String, u64)>, StorageError> {
        self.queues.all()
    }

    fn overview(&mut self) -> Result<Vec<Overview>, StorageError> {
        let mut queues = Vec::new();
        for (name, queue) in self.names()? {
            let counts = self.queues.counts(queue)?.unwrap_or_default();
            queues.push(Overview { name, counts, oldest: self.oldest(queue)? });
        }
        Ok(queues)
    }

    fn oldest(&self, queue: u64) -> Result<Option<u64>, StorageError> {
        let mut oldest = None;
        for rank in 0..=HIGHEST {
            if let Some(row) = self.pending.range((queue, rank, 0)..(queue, rank + 1, 0))?.next() {
                let (key, row) = row?;
                let enqueued = Row::of_queue(queue, key.value(), row.value())?.enqueued;
                oldest = Some(oldest.map_or(enqueued, |oldest: u64| oldest.min(enqueued)));
            }
        }
        Ok(oldest)
    }
}
