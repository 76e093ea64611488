//! Removing the rows of collections that were cleared, in steps: `clear` itself takes no longer for a large collection.

use std::time::Instant;

use redb::Error;

use super::{
    Tables,
    value::{self, Place},
};
use crate::g::rows::{self, remove};

impl Tables<'_> {
    /// Whether rows are left that nobody can see.
    pub(crate) fn is_untidy(&self) -> bool {
        self.untidy || self.log.is_untidy()
    }

    /// Removes rows that nobody can see, some at least, and until the time is up.
    pub(crate) fn tidy(&mut self, until: Instant) -> Result<(), Error> {
        if !self.untidy {
            return self.log.tidy(until);
        }
        self.untidy = !rows::tidy(self, |tables| &mut tables.cleared, Self::remove_some, until)?;
        Ok(())
    }

    fn remove_some(&mut self, number: u64) -> Result<bool, Error> {
        let prefix = number.to_be_bytes();
        let (first, end) = (&prefix[..], &(number + 1).to_be_bytes()[..]);
        if remove(&mut self.documents, &prefix, first, end)? {
            return Ok(true);
        }
        let (first, end): (&Place, &Place) = (&value::first_place(number), &value::first_place(number + 1));
        Ok(remove(&mut self.by_created, &prefix, first, end)? || remove(&mut self.by_updated, &prefix, first, end)?)
    }
}
