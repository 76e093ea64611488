//! Removing the rows of collections that were cleared, in steps: `clear` itself takes no longer for a large collection.

use std::time::Instant;

use redb::{Error, Key, ReadableTable, Table, Value};

use super::{
    Tables,
    value::{self, Place},
};

/// How many rows, and about how many bytes, are removed between two looks at the clock.
const ROWS: usize = 64;
const BYTES: usize = 1 << 20;

impl Tables<'_> {
    /// Whether rows of cleared collections are left.
    pub(crate) fn is_untidy(&self) -> bool {
        self.untidy
    }

    /// Removes rows of cleared collections, some at least, and until the time is up. Gives about how many bytes.
    pub(crate) fn tidy(&mut self, until: Instant) -> Result<usize, Error> {
        let mut bytes = 0;
        loop {
            let Some((number, sum)) = self.cleared.first()?.map(|(number, sum)| (number.value(), sum.value())) else {
                self.untidy = false;
                return Ok(bytes);
            };
            // A number that is not what was stored may be that of a collection which is there.
            if sum != value::sum_of_cleared(number) {
                return Err(value::damaged());
            }
            let removed = self.remove_some(number)?;
            if removed == 0 {
                self.cleared.remove(number)?;
            }
            bytes += removed.max(1);
            if Instant::now() >= until {
                return Ok(bytes);
            }
        }
    }

    fn remove_some(&mut self, number: u64) -> Result<usize, Error> {
        let (first, end) = (&number.to_be_bytes()[..], &(number + 1).to_be_bytes()[..]);
        let removed = remove(&mut self.documents, number, first, end)?;
        if removed > 0 {
            return Ok(removed);
        }
        let (first, end): (&Place, &Place) = (&value::first_place(number), &value::first_place(number + 1));
        let removed = remove(&mut self.by_created, number, first, end)?;
        if removed > 0 { Ok(removed) } else { remove(&mut self.by_updated, number, first, end) }
    }
}

/// Removes the first rows of a collection's range. Gives about how many bytes, none for an empty range.
///
/// One by one: what redb has for a whole range works on in its destructor, where a damaged row aborts the process.
fn remove<'k, K: Key, V: Value>(
    table: &mut Table<'_, K, V>,
    collection: u64,
    first: K::SelfType<'k>,
    end: K::SelfType<'k>,
) -> Result<usize, Error> {
    let (mut keys, mut bytes) = (Vec::new(), 0);
    for row in table.range::<K::SelfType<'k>>(first..end)?.take(ROWS) {
        let (key, value) = row?;
        let key = K::as_bytes(&key.value()).as_ref().to_vec();
        value::in_collection(collection, &key)?;
        keys.push(key);
        bytes += V::as_bytes(&value.value()).as_ref().len();
        if bytes >= BYTES {
            break;
        }
    }
    for key in &keys {
        table.remove(K::from_bytes(key))?;
    }
    Ok(bytes.max(keys.len()))
}
