//! Removes the rows of cleared queues in steps, so that `clear` takes no longer for a large queue. Checked-out items of
//! a cleared queue are removed when they are committed, aborted or renewed, or when their lease ends.

use std::time::Instant;

use redb::{Error, ReadableTable};

use super::{
    Tables,
    value::{Row, dead_of_queue},
};
use crate::data::purge::purge_cleared;

/// How many rows one step removes.
const STEP_ROWS: usize = 64;

impl Tables<'_> {
    /// Removes rows of cleared queues until the time is over, but at least one step of them.
    pub(super) fn purge_cleared(&mut self, until: Instant) -> Result<(), Error> {
        self.needs_purge = !purge_cleared(self, |tables| &mut tables.cleared, Self::remove_some, until)?;
        Ok(())
    }

    fn remove_some(&mut self, queue: u64) -> Result<bool, Error> {
        Ok(self.remove_pending(queue)? || self.remove_dead(queue)?)
    }

    fn remove_pending(&mut self, queue: u64) -> Result<bool, Error> {
        let mut found = Vec::new();
        for row in self.pending.range((queue, 0, 0)..(queue + 1, 0, 0))?.take(STEP_ROWS) {
            let (key, row) = row?;
            let (key, row) = (key.value(), row.value());
            found.push((key, Row::of_queue(queue, key, row)?.body));
        }
        for (key, body) in &found {
            self.pending.remove(key)?;
            self.remove_body(body)?;
        }
        Ok(!found.is_empty())
    }

    fn remove_dead(&mut self, queue: u64) -> Result<bool, Error> {
        let mut found = Vec::new();
        for row in self.dead.range((queue, 0)..(queue + 1, 0))?.take(STEP_ROWS) {
            let (key, row) = row?;
            let (key, row) = (key.value(), row.value());
            found.push((key, dead_of_queue(queue, key, row)?.1.body));
        }
        for (key, body) in &found {
            self.dead.remove(key)?;
            self.remove_body(body)?;
        }
        Ok(!found.is_empty())
    }
}
