//! Searchable documents: rows and limits. `search.wit` is the contract.

mod check;
mod tables;
mod value;

use crate::{
    Error,
    data::{
        self, failed,
        validate::{check_name, within},
    },
};
pub(crate) use tables::Tables;
use value::Given;
pub(crate) use value::as_text;

/// The limits on the size of documents, of their collections' names and their keys, and of pages of results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The longest name of a collection, in bytes.
    collection_bytes: usize,
    /// The longest key, in bytes.
    key_bytes: usize,
    /// The largest document, in bytes of JSON.
    document_bytes: usize,
    /// The largest page of results, in bytes of JSON.
    pub(crate) page_bytes: usize,
}

pub(crate) const LIMITS: Limits =
    Limits { collection_bytes: 255, key_bytes: 2_048, document_bytes: 16 << 20, page_bytes: 64 << 20 };

/// A collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// The number of its documents.
    pub documents: u64,
}

/// Adds a document; replaces the document with the same collection and key.
pub(crate) fn index(t: &mut data::Tables<'_>, fields: &str) -> Result<(), Error> {
    within("the document", fields.len(), LIMITS.document_bytes)?;
    let given = Given::read(fields)?;
    check_name("_collection", &given.collection, LIMITS.collection_bytes)?;
    check_name("_key", &given.key, LIMITS.key_bytes)?;
    t.charge(2, fields.len() + given.collection.len() + 2 * given.key.len())?;
    t.search.put(&given.collection, &given.key, &given.fields).map_err(failed)
}

/// Removes a document.
pub(crate) fn delete(t: &mut data::Tables<'_>, collection: &str, key: &str) -> Result<(), Error> {
    check_collection(collection)?;
    check_name("key", key, LIMITS.key_bytes)?;
    t.search.delete(collection, key).map_err(failed)
}

/// Removes all documents of a collection, and returns their number.
pub(crate) fn delete_by_collection(t: &mut data::Tables<'_>, collection: &str) -> Result<u64, Error> {
    check_collection(collection)?;
    t.search.clear(collection).map_err(failed)
}

/// Returns the number of documents of one collection, or of all.
pub(crate) fn count(t: &mut data::Tables<'_>, collection: Option<&str>) -> Result<u64, Error> {
    if let Some(collection) = collection {
        check_collection(collection)?;
        return t.search.collections.count(collection).map_err(failed);
    }
    Ok(collections_with_counts(t)?.iter().map(|collection| collection.documents).sum())
}

/// Returns all collections, ascending by name.
pub(crate) fn collections_with_counts(t: &mut data::Tables<'_>) -> Result<Vec<Collection>, Error> {
    let names = t.search.collections.names().map_err(failed)?;
    let with_count = |name: String| {
        let documents = t.search.collections.count(&name).map_err(failed)?;
        Ok(Collection { name, documents })
    };
    names.into_iter().map(with_count).collect()
}

/// Removes all documents.
pub(crate) fn clear(t: &mut data::Tables<'_>) -> Result<(), Error> {
    for name in t.search.collections.names().map_err(failed)? {
        delete_by_collection(t, &name)?;
    }
    Ok(())
}

/// Returns the number of a collection, if it exists.
pub(crate) fn number(t: &mut data::Tables<'_>, collection: &str) -> Result<Option<u64>, Error> {
    t.search.collections.number(collection).map_err(failed)
}

/// Returns the JSON of a document's fields, if the document exists.
pub(crate) fn get(t: &mut data::Tables<'_>, collection: &str, key: &str) -> Result<Option<String>, Error> {
    Ok(t.search.get(collection, key).map_err(failed)?.map(|(_, fields)| fields))
}

/// Returns the number of changes that the index has not applied; `None` if the index first has to read documents, so
/// that the number is unknown.
pub(crate) fn unapplied_changes(t: &data::Tables<'_>) -> Result<Option<u64>, Error> {
    t.search.log.unapplied_changes().map_err(failed)
}

/// Fails if the name of a collection is invalid.
pub(crate) fn check_collection(name: &str) -> Result<(), Error> {
    check_name("collection", name, LIMITS.collection_bytes)
}
