//! Documents in named collections: rows, limits and order. `store.wit` is the contract.

mod all;
mod check;
mod list;
#[cfg(test)]
mod model_test;
mod purge;
mod range;
mod scan;
mod search;
mod tables;
#[cfg(test)]
mod tests;
pub(crate) mod update;
mod value;

use crate::{
    Error,
    data::{
        self, failed,
        validate::{check_json, check_name, within},
    },
};
pub(crate) use all::{AllOptions, all};
pub use list::{ListOptions, Sort};
pub(crate) use list::{left_out, list, out_of_time};
pub(crate) use scan::{measure, next_collection, step};
pub use search::SearchOptions;
pub(crate) use search::{found, log_changes, number};
pub(crate) use tables::Tables;
pub use value::{Document, Moment, Times};

/// The longest name of a collection, in bytes.
const COLLECTION_BYTES: usize = 255;
/// The longest key, in bytes.
const KEY_BYTES: usize = 2_048;

/// Stores `data` under `key`; an existing document keeps its creation time.
pub(crate) fn put(t: &mut data::Tables<'_>, collection: &str, key: &str, data: &str) -> Result<(), Error> {
    put_at(t, collection, key, data, Times::default())
}

/// Stores `data` under `key` with given times, for an import.
pub(crate) fn put_at(
    t: &mut data::Tables<'_>,
    collection: &str,
    key: &str,
    data: &str,
    times: Times,
) -> Result<(), Error> {
    check_names(collection, key)?;
    within("data", data.len(), t.limits.document)?;
    check_json("data", data)?;
    // Three rows: the document, and its entries in the orders by creation and by last update.
    t.charge(3, data.len() + collection.len() + 3 * key.len())?;
    let now = t.now();
    if !t.store.put(collection, key, data, times, now).map_err(failed)? {
        return Err(Error::invalid("createdAt is later than updatedAt"));
    }
    Ok(())
}

/// Returns the document under `key`.
pub(crate) fn get(t: &mut data::Tables<'_>, collection: &str, key: &str) -> Result<Option<Document>, Error> {
    check_names(collection, key)?;
    t.store.get(collection, key).map_err(failed)
}

/// Deletes the document under `key`. Returns whether it existed.
pub(crate) fn delete(t: &mut data::Tables<'_>, collection: &str, key: &str) -> Result<bool, Error> {
    check_names(collection, key)?;
    t.store.delete(collection, key).map_err(failed)
}

/// Returns the number of documents in a collection.
pub(crate) fn count(t: &mut data::Tables<'_>, collection: &str) -> Result<u64, Error> {
    check_collection(collection)?;
    t.store.collections.count(collection).map_err(failed)
}

/// Deletes all documents of a collection.
pub(crate) fn clear(t: &mut data::Tables<'_>, collection: &str) -> Result<(), Error> {
    check_collection(collection)?;
    t.store.clear(collection).map_err(failed)
}

/// Returns the names of the collections that contain a document, ascending by their bytes.
pub(crate) fn collections(t: &mut data::Tables<'_>) -> Result<Vec<String>, Error> {
    t.store.collections.names().map_err(failed)
}

/// Fails if the name of a collection is invalid.
pub(crate) fn check_collection(name: &str) -> Result<(), Error> {
    check_name("collection", name, COLLECTION_BYTES)
}

fn check_names(collection: &str, key: &str) -> Result<(), Error> {
    check_collection(collection)?;
    check_name("key", key, KEY_BYTES)
}
