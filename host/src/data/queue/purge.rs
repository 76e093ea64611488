//! Removes the rows of cleared queues in steps, so that `clear` takes no longer for a large queue. Checked-out items are
//! removed when their lease ends.

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
    /// Removes rows of cleared queues: some at least, and more until the time is over.
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
            let (place, row) = row?;
            let (place, row) = (place.value(), row.value());
            found.push((place, Row::of_queue(queue, place, row)?.body));
        }
        for (place, body) in &found {
            self.pending.remove(place)?;
            self.remove_body(body)?;
        }
        Ok(!found.is_empty())
    }

    fn remove_dead(&mut self, queue: u64) -> Result<bool, Error> {
        let mut found = Vec::new();
        for row in self.dead.range((queue, 0)..(queue + 1, 0))?.take(STEP_ROWS) {
            let (place, row) = row?;
            let (place, row) = (place.value(), row.value());
            found.push((place, dead_of_queue(queue, place, row)?.1.body));
        }
        for (place, body) in &found {
            self.dead.remove(place)?;
            self.remove_body(body)?;
        }
        Ok(!found.is_empty())
    }
}
