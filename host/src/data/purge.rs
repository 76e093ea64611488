//! Removes many rows in steps: the rows of collections and queues that were cleared.

use std::time::Instant;

use redb::{Error, Key, ReadableTable, StorageError, Value};

use super::{Table, checksum::checksum};

/// The number of rows, and about the number of bytes, that one step removes.
const STEP_ROWS: usize = 64;
const STEP_BYTES: usize = 1 << 20;

/// Returns the checksum of the number of a cleared queue or collection.
pub(crate) fn sum_of_cleared(number: u64) -> u32 {
    checksum(&[&number.to_be_bytes()])
}

/// Returns the first number whose rows still have to be removed.
fn first_cleared(cleared: &Table<'_, u64, u32>) -> Result<Option<u64>, Error> {
    let Some((number, sum)) = cleared.first()?.map(|(number, sum)| (number.value(), sum.value())) else {
        return Ok(None);
    };
    // A corrupt number may be that of an existing collection.
    if sum != sum_of_cleared(number) {
        return Err(StorageError::Corrupted("a number of what was cleared".into()).into());
    }
    Ok(Some(number))
}

/// Removes rows of cleared collections or queues until the time is over, but at least one step of them. `remove_some`
/// is a step: it removes some rows of a number, and returns false if none were left. Returns true when no rows are
/// left.
pub(crate) fn purge_cleared<'t, T>(
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

/// Removes the first rows of a range. Fails if a key does not begin with the prefix, which can happen in a corrupt
/// table. Returns false if the range was empty.
///
/// It removes them one by one: redb's operations on a range continue in their destructor, where a corrupt row aborts
/// the process.
pub(crate) fn remove<'k, K: Key + 'static, V: Value + 'static>(
    table: &mut Table<'_, K, V>,
    prefix: &[u8],
    first: K::SelfType<'k>,
    end: K::SelfType<'k>,
) -> Result<bool, Error> {
    let (mut keys, mut bytes) = (Vec::new(), 0);
    for row in table.range::<K::SelfType<'k>>(first..end)?.take(STEP_ROWS) {
        let (key, value) = row?;
        let key = K::as_bytes(&key.value()).as_ref().to_vec();
        if !key.starts_with(prefix) {
            return Err(StorageError::Corrupted("a row among those of another collection".into()).into());
        }
        keys.push(key);
        bytes += V::as_bytes(&value.value()).as_ref().len();
        if bytes >= STEP_BYTES {
            break;
        }
    }
    for key in &keys {
        table.remove(K::from_bytes(key))?;
    }
    Ok(!keys.is_empty())
}
