//! Removes the rows of cleared collections in steps, so that `clear` takes no longer for a large collection.

use std::time::Instant;

use redb::Error;

use super::{
    Tables,
    value::{self, OrderKey},
};
use crate::data::purge::{purge_cleared, remove};

impl Tables<'_> {
    /// Removes rows of cleared collections until the time is over, but at least one step of them.
    pub(super) fn purge_cleared(&mut self, until: Instant) -> Result<(), Error> {
        self.needs_purge = !purge_cleared(self, |tables| &mut tables.cleared, Self::remove_some, until)?;
        Ok(())
    }

    fn remove_some(&mut self, number: u64) -> Result<bool, Error> {
        let prefix = number.to_be_bytes();
        let (first, end) = (&prefix[..], &(number + 1).to_be_bytes()[..]);
        if remove(&mut self.documents, &prefix, first, end)? {
            return Ok(true);
        }
        let (first, end): (&OrderKey, &OrderKey) =
            (&value::first_order_key(number), &value::first_order_key(number + 1));
        Ok(remove(&mut self.by_created, &prefix, first, end)? || remove(&mut self.by_updated, &prefix, first, end)?)
    }
}
