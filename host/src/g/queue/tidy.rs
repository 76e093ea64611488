//! Removing the rows of queues that were cleared, in steps: `clear` itself takes no longer for a large queue. What was
//! checked out goes when its lease ends.

use std::time::Instant;

use redb::{Error, ReadableTable};

use super::{
    Tables,
    value::{Row, dead_of_queue},
};
use crate::g::rows;

/// How many rows are removed between two looks at the clock.
const ROWS: usize = 64;

impl Tables<'_> {
    /// Whether rows of cleared queues are left.
    pub(crate) fn is_untidy(&self) -> bool {
        self.untidy
    }

    /// Removes rows of cleared queues, some at least, and until the time is up.
    pub(crate) fn tidy(&mut self, until: Instant) -> Result<(), Error> {
        self.untidy = !rows::tidy(self, |tables| &mut tables.cleared, Self::remove_some, until)?;
        Ok(())
    }

    fn remove_some(&mut self, queue: u64) -> Result<bool, Error> {
        Ok(self.remove_pending(queue)? || self.remove_dead(queue)?)
    }

    fn remove_pending(&mut self, queue: u64) -> Result<bool, Error> {
        let mut found = Vec::new();
        for row in self.pending.range((queue, 0, 0)..(queue + 1, 0, 0))?.take(ROWS) {
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
        for row in self.dead.range((queue, 0)..(queue + 1, 0))?.take(ROWS) {
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
