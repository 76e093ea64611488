//! Documents in named collections. The contract stands in `store.wit`.

mod host;
mod tables;
mod value;

#[cfg(test)]
mod tests;

use crate::{Error, ErrorCode, workspace};
pub(crate) use tables::Tables;
pub(crate) use value::Document;

/// What a document and its names may be.
pub(crate) struct Limits {
    /// The longest name of a collection, in bytes.
    pub(crate) collection_bytes: usize,
    /// The longest key, in bytes.
    pub(crate) key_bytes: usize,
    /// The largest document, in bytes of JSON.
    pub(crate) document_bytes: usize,
    /// The largest page of a list, in bytes of JSON.
    pub(crate) page_bytes: usize,
}

pub(crate) const LIMITS: Limits =
    Limits { collection_bytes: 255, key_bytes: 2_048, document_bytes: 16 << 20, page_bytes: 64 << 20 };

/// What a list is ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sort {
    Key,
    CreatedAt,
    #[default]
    UpdatedAt,
}

/// Which documents a list holds, and in what order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListOptions {
    pub(crate) limit: u32,
    pub(crate) offset: u32,
    pub(crate) sort: Sort,
    pub(crate) descending: bool,
}

impl Default for ListOptions {
    fn default() -> Self {
        Self { limit: 100, offset: 0, sort: Sort::default(), descending: true }
    }
}

/// Stores `data` under `key`; an existing document keeps its creation time.
pub(crate) fn put(t: &mut workspace::Tables<'_>, collection: &str, key: &str, data: &str) -> Result<(), Error> {
    check_collection(collection)?;
    check_key(key)?;
    within("data", data.len(), LIMITS.document_bytes)?;
    if serde_json::from_str::<serde::de::IgnoredAny>(data).is_err() {
        return Err(Error::invalid("data is not JSON"));
    }
    t.store.put(collection, key, data).map_err(Error::storage)
}

/// The document under `key`.
pub(crate) fn get(t: &mut workspace::Tables<'_>, collection: &str, key: &str) -> Result<Option<Document>, Error> {
    check_collection(collection)?;
    check_key(key)?;
    t.store.get(collection, key).map_err(Error::storage)
}

/// A page of a collection.
pub(crate) fn list(
    t: &mut workspace::Tables<'_>,
    collection: &str,
    options: &ListOptions,
) -> Result<Vec<Document>, Error> {
    check_collection(collection)?;
    t.store.list(collection, options, LIMITS.page_bytes).map_err(Error::storage)?.ok_or_else(|| {
        let message = format!("the page is larger than {} bytes: ask for fewer documents with limit", LIMITS.page_bytes);
        Error::new(ErrorCode::Limit, message)
    })
}

/// Deletes the document under `key`. True if there was one.
pub(crate) fn delete(t: &mut workspace::Tables<'_>, collection: &str, key: &str) -> Result<bool, Error> {
    check_collection(collection)?;
    check_key(key)?;
    t.store.delete(collection, key).map_err(Error::storage)
}

/// The number of documents in a collection.
pub(crate) fn count(t: &mut workspace::Tables<'_>, collection: &str) -> Result<u64, Error> {
    check_collection(collection)?;
    t.store.count(collection).map_err(Error::storage)
}

/// Deletes all documents of a collection.
pub(crate) fn clear(t: &mut workspace::Tables<'_>, collection: &str) -> Result<(), Error> {
    check_collection(collection)?;
    t.store.clear(collection).map_err(Error::storage)
}

/// The names of the collections that hold a document, ascending.
pub(crate) fn collections(t: &mut workspace::Tables<'_>) -> Result<Vec<String>, Error> {
    t.store.collections().map_err(Error::storage)
}

fn check_collection(name: &str) -> Result<(), Error> {
    check_name("collection", name, LIMITS.collection_bytes)
}

fn check_key(key: &str) -> Result<(), Error> {
    check_name("key", key, LIMITS.key_bytes)
}

fn check_name(what: &str, name: &str, limit: usize) -> Result<(), Error> {
    if name.is_empty() {
        return Err(Error::invalid(format!("{what} is empty")));
    }
    within(what, name.len(), limit)?;
    match name.char_indices().find(|(_, character)| character.is_control()) {
        Some((at, _)) => Err(Error::invalid(format!("{what} contains a control character at byte {at}"))),
        None => Ok(()),
    }
}

fn within(what: &str, bytes: usize, limit: usize) -> Result<(), Error> {
    if bytes > limit { Err(Error::invalid(format!("{what} is {bytes} bytes, the limit is {limit}"))) } else { Ok(()) }
}
