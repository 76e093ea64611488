//! Removing many rows in steps.

use std::time::Instant;

use redb::{Error, Key, ReadableTable, StorageError, Value};

use super::checksum::checksum;
use crate::workspace::Table;

/// How many rows, and about how many bytes, are removed between two looks at the clock.
const ROWS: usize = 64;
const BYTES: usize = 1 << 20;

/// The checksum of a number whose rows are to be removed: that of a queue or a collection that was cleared.
pub(crate) fn sum_of_cleared(number: u64) -> u32 {
    checksum(&[&number.to_be_bytes()])
}

/// The first number whose rows are to be removed.
fn first_cleared(cleared: &Table<'_, u64, u32>) -> Result<Option<u64>, Error> {
    let Some((number, sum)) = cleared.first()?.map(|(number, sum)| (number.value(), sum.value())) else {
        return Ok(None);
    };
    // A number that is damaged may be that of something which is there.
    if sum != sum_of_cleared(number) {
        return Err(StorageError::Corrupted("a number of what was cleared".into()).into());
    }
    Ok(Some(number))
}

/// Removes rows of what was cleared, some at least, and until the time is up. `remove_some` removes some rows of a number;
/// false when there were none left. True when all are gone.
pub(crate) fn tidy<'t, T>(
    tables: &mut T,
    cleared: fn(&mut T) -> &mut Table<'t, u64, u32>,
    remove_some: fn(&mut T, u64) -> Result<bool, Error>,
    until: Instant,
) -> Result<bool, Error> {
    while let Some(number) = first_cleared(cleared(tables))? {
        if !remove_some(tables, number)? {
            cleared(tables).remove(number)?;
        }
        if Instant::now() >= until {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Removes the first rows of a range, whose keys all begin with a prefix: in a damaged table they may not. False when the range
/// was empty.
///
/// One by one: what redb has for a whole range works on in its destructor, where a damaged row aborts the process.
pub(crate) fn remove<'k, K: Key + 'static, V: Value + 'static>(
    table: &mut Table<'_, K, V>,
    prefix: &[u8],
    first: K::SelfType<'k>,
    end: K::SelfType<'k>,
) -> Result<bool, Error> {
    let (mut keys, mut bytes) = (Vec::new(), 0);
    for row in table.range::<K::SelfType<'k>>(first..end)?.take(ROWS) {
        let (key, value) = row?;
        let key = K::as_bytes(&key.value()).as_ref().to_vec();
        if !key.starts_with(prefix) {
            return Err(StorageError::Corrupted("a row among those of another collection".into()).into());
        }
        keys.push(key);
        bytes += V::as_bytes(&value.value()).as_ref().len();
        if bytes >= BYTES {
            break;
        }
    }
    for key in &keys {
        table.remove(K::from_bytes(key))?;
    }
    Ok(!keys.is_empty())
}
