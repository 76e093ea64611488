//! Full-text search over flat documents. The contract stands in `search.wit`.
//!
//! The documents are rows of the database; the index is derived from them.

mod check;
mod host;
#[cfg(test)]
mod model_test;
mod searches;
mod tables;
mod value;

use crate::{
    Error, ErrorCode,
    g::bounds::{check_name, within},
    index::{Log, Numbered, Order, Source, Step, Stop, View},
    workspace::{self, Session, failed},
};
pub(crate) use check::{check, holds_nothing};
pub use searches::Searches;
pub(crate) use tables::Tables;
use value::Given;

/// What a document and its names may be.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// The longest name of a collection, in bytes.
    collection_bytes: usize,
    /// The longest key, in bytes.
    key_bytes: usize,
    /// The largest document, in bytes of JSON.
    document_bytes: usize,
    /// The largest page of results, in bytes of JSON.
    page_bytes: usize,
}

const LIMITS: Limits =
    Limits { collection_bytes: 255, key_bytes: 2_048, document_bytes: 16 << 20, page_bytes: 64 << 20 };

/// How much one step of reading documents takes.
const STEP_DOCUMENTS: usize = 1_000;
const STEP_BYTES: usize = 1 << 20;

/// What the index is made of.
const SOURCE: Source = Source { log, document, step, collections, count: count_of };

/// Which documents a query looks at, and which of those that it finds it gives.
#[derive(Clone, Debug)]
pub struct Options {
    /// The one collection to look in; without it, all.
    pub collection: Option<String>,
    /// How many results at the most.
    pub limit: u32,
    /// How many results are passed over before the first.
    pub offset: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { collection: None, limit: 100, offset: 0 }
    }
}

/// A document that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its key.
    pub key: String,
    /// Its collection.
    pub collection: String,
    /// How well it fits: more is better.
    pub score: f32,
    /// Its fields: a JSON object of strings.
    pub fields: String,
}

/// What an index is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexInfo {
    /// How many documents it is made of.
    pub documents: u64,
    /// How many changes it has still to take in; none when there is no index, or documents are to be read for it.
    pub waiting: Option<u64>,
    /// How many bytes its files are.
    pub bytes: u64,
}

/// A collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// How many documents it holds.
    pub documents: u64,
}

/// Adds a document; one with the same names is replaced.
pub(crate) fn index(t: &mut workspace::Tables<'_>, fields: &str) -> Result<(), Error> {
    within("the document", fields.len(), LIMITS.document_bytes)?;
    let given = Given::read(fields)?;
    check_name("_collection", &given.collection, LIMITS.collection_bytes)?;
    check_name("_key", &given.key, LIMITS.key_bytes)?;
    t.charge(2, fields.len() + given.collection.len() + 2 * given.key.len())?;
    t.search.put(&given.collection, &given.key, &given.fields).map_err(failed)
}

/// Removes a document.
pub(crate) fn delete(t: &mut workspace::Tables<'_>, collection: &str, key: &str) -> Result<(), Error> {
    check_collection(collection)?;
    check_name("key", key, LIMITS.key_bytes)?;
    t.search.delete(collection, key).map_err(failed)
}

/// Removes all documents of a collection, and gives their number.
pub(crate) fn delete_by_collection(t: &mut workspace::Tables<'_>, collection: &str) -> Result<u64, Error> {
    check_collection(collection)?;
    t.search.clear(collection).map_err(failed)
}

/// The number of documents, of one collection or of all.
pub(crate) fn count(t: &mut workspace::Tables<'_>, collection: Option<&str>) -> Result<u64, Error> {
    if let Some(collection) = collection {
        check_collection(collection)?;
        return t.search.collections.count(collection).map_err(failed);
    }
    Ok(collections_with_counts(t)?.iter().map(|collection| collection.documents).sum())
}

/// All collections, by their names.
pub(crate) fn collections_with_counts(t: &mut workspace::Tables<'_>) -> Result<Vec<Collection>, Error> {
    let names = collections(t)?;
    let with_count = |name: String| {
        let documents = count_of(t, &name)?;
        Ok(Collection { name, documents })
    };
    names.into_iter().map(with_count).collect()
}

/// Removes all documents.
pub(crate) fn clear(t: &mut workspace::Tables<'_>) -> Result<(), Error> {
    for name in t.search.collections.names().map_err(failed)? {
        delete_by_collection(t, &name)?;
    }
    Ok(())
}

/// The documents that a query finds.
pub(crate) fn query(session: &mut Session, query: &str, options: &Options) -> Result<Vec<Found>, Error> {
    options.collection.as_deref().map_or(Ok(()), check_collection)?;
    View::check(query)?;
    let view = session.indexes().search.up_to_date(session, &SOURCE)?;
    find(session, &view, query, options)
}

/// Makes the index anew, and gives the number of its documents.
pub(crate) fn rebuild(session: &mut Session) -> Result<u64, Error> {
    Ok(session.indexes().search.rebuild(session, &SOURCE)?.documents())
}

/// What the index is like.
pub(crate) fn index_info(session: &mut Session) -> Result<IndexInfo, Error> {
    let bytes = session.indexes().search.bytes()?;
    let documents = session.call(|t| count(t, None))?;
    let waiting = session.call(|t| t.search.log.waiting().map_err(failed))?;
    Ok(IndexInfo { documents, waiting: waiting.filter(|_| bytes > 0), bytes })
}

fn find(session: &mut Session, view: &View, query: &str, options: &Options) -> Result<Vec<Found>, Error> {
    let mut within = None;
    if let Some(collection) = &options.collection {
        within = session.call(|t| t.search.collections.number(collection).map_err(failed))?;
        if within.is_none() {
            return Ok(Vec::new());
        }
    }
    let (limit, offset) = (options.limit as usize, options.offset as usize);
    let stop = Stop::of(session);
    let hits = view.find(query, within, Order::BestFirst, limit.saturating_add(offset), &stop)?;
    let mut room = LIMITS.page_bytes;
    let mut found = Vec::new();
    for hit in hits.into_iter().skip(offset) {
        stop.check()?;
        // Another run may have deleted it meanwhile.
        let document = session.call(|t| t.search.get(&hit.collection, &hit.key).map_err(failed))?;
        let Some((_, fields)) = document else { continue };
        room = room.checked_sub(fields.len()).ok_or_else(too_large)?;
        let (key, collection, score) = (hit.key, hit.collection, hit.score);
        found.push(Found { key, collection, score, fields: value::as_text(&fields) });
    }
    Ok(found)
}

fn too_large() -> Error {
    let limit = LIMITS.page_bytes >> 20;
    Error::new(ErrorCode::Limit, format!("the results are larger than {limit} MiB: ask for fewer with limit"))
}

fn check_collection(name: &str) -> Result<(), Error> {
    check_name("collection", name, LIMITS.collection_bytes)
}

fn log<'a, 't>(t: &'a mut workspace::Tables<'t>) -> &'a mut Log<'t> {
    &mut t.search.log
}

fn document(t: &mut workspace::Tables<'_>, collection: &str, key: &str) -> Result<Option<Numbered>, Error> {
    t.search.get(collection, key).map_err(failed)
}

fn step(t: &mut workspace::Tables<'_>, collection: &str, after: &str) -> Result<Option<Step>, Error> {
    t.search.step(collection, after, STEP_DOCUMENTS, STEP_BYTES).map_err(failed)
}

fn count_of(t: &mut workspace::Tables<'_>, collection: &str) -> Result<u64, Error> {
    t.search.collections.count(collection).map_err(failed)
}

fn collections(t: &mut workspace::Tables<'_>) -> Result<Vec<String>, Error> {
    t.search.collections.names().map_err(failed)
}
