//! Reads all documents in steps, in the order of their collections and keys. Other calls are executed between two
//! steps.

use std::ops::Bound;

use redb::{Error as StorageError, ReadableTable};

use super::{
    Tables, check_collection,
    value::{self, Document},
};
use crate::{
    Error,
    data::{self, failed},
};

/// A step ends when it has read this many bytes of rows, or this many documents.
const STEP_BYTES: usize = 1 << 20;
const STEP_DOCUMENTS: usize = 1_000;
/// The number of documents that are measured in one step.
const STEP_MEASURED: usize = 20_000;

/// The size of the documents that one step has measured.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Measure {
    pub(crate) documents: u64,
    /// The bytes of keys and JSON.
    pub(crate) bytes: u64,
    /// The last key that was measured; `None` at the end of the collection.
    pub(crate) last: Option<Vec<u8>>,
}

/// Returns the first collection after a name.
pub(crate) fn next_collection(t: &mut data::Tables<'_>, after: &str) -> Result<Option<String>, Error> {
    t.store.collections.next_after(after).map_err(failed)
}

/// Returns one step of the documents of a collection after a key, in the order of keys; it is empty at the end.
pub(crate) fn step(t: &mut data::Tables<'_>, collection: &str, after: &str) -> Result<Vec<Document>, Error> {
    check_collection(collection)?;
    t.store.documents_after(collection, after).map_err(failed)
}

impl Tables<'_> {
    pub(super) fn documents_after(&mut self, collection: &str, after: &str) -> Result<Vec<Document>, StorageError> {
        let (mut documents, mut bytes) = (Vec::new(), 0);
        for_each_after(self, collection, after.as_bytes(), |key, row| {
            documents.push(value::document(key, row)?);
            bytes += row.len();
            Ok(bytes < STEP_BYTES && documents.len() < STEP_DOCUMENTS)
        })?;
        Ok(documents)
    }
}

/// Measures one step of the documents of a collection after a key.
pub(crate) fn measure(t: &mut data::Tables<'_>, collection: &str, after: &[u8]) -> Result<Measure, Error> {
    let (mut measure, mut rows) = (Measure::default(), 0);
    for_each_after(&mut t.store, collection, after, |key, row| {
        measure.documents += 1;
        let key = value::key_of(key)?;
        measure.bytes += (key.len() + row.len().saturating_sub(value::ROW_HEAD)) as u64;
        rows += 1;
        let is_full = rows == STEP_MEASURED;
        measure.last = is_full.then(|| key.to_vec());
        Ok(!is_full)
    })
    .map_err(failed)?;
    Ok(measure)
}

/// Calls `f` with the key and the value of each row of a collection after a key, until it returns false.
fn for_each_after(
    tables: &mut Tables<'_>,
    collection: &str,
    after: &[u8],
    mut f: impl FnMut(&[u8], &[u8]) -> Result<bool, StorageError>,
) -> Result<(), StorageError> {
    let Some(number) = tables.collections.number(collection)? else { return Ok(()) };
    value::document_key(number, after, &mut tables.key);
    let end = (number + 1).to_be_bytes();
    let rows = (Bound::Excluded(&*tables.key), Bound::Excluded(&end[..]));
    for row in tables.documents.range::<&[u8]>(rows)? {
        let (key, row) = row?;
        value::in_collection(number, key.value())?;
        if !f(key.value(), row.value())? {
            return Ok(());
        }
    }
    Ok(())
}
