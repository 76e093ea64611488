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
use value::NewDocument;
pub(crate) use value::as_text;

/// The longest name of a collection, in bytes.
const COLLECTION_BYTES: usize = 255;
/// The longest key, in bytes.
const KEY_BYTES: usize = 2_048;

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
    within("the document", fields.len(), t.limits.document)?;
    let document = NewDocument::read(fields)?;
    check_name("_collection", &document.collection, COLLECTION_BYTES)?;
    check_name("_key", &document.key, KEY_BYTES)?;
    t.charge(2, fields.len() + document.collection.len() + 2 * document.key.len())?;
    t.search.put(&document.collection, &document.key, &document.fields).map_err(failed)
}

/// Removes a document.
pub(crate) fn delete(t: &mut data::Tables<'_>, collection: &str, key: &str) -> Result<(), Error> {
    check_collection(collection)?;
    check_name("key", key, KEY_BYTES)?;
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
    check_name("collection", name, COLLECTION_BYTES)
}
