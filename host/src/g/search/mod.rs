//! `g.search`: the WIT interface, queries, and the client for programs.
//!
//! The documents are rows of the database; the index is derived from them.

mod client;
mod host;
#[cfg(test)]
mod model_test;

use crate::{
    Error, ErrorCode,
    data::{
        IndexedNamespace,
        search::{self, check_collection},
        validate::size,
    },
    index::{Order, Problem, View},
    indexing,
    workspace::Session,
};
pub use client::Searches;

/// Which documents a query searches, and which results it returns.
#[derive(Clone, Debug)]
pub struct Options {
    /// The collection to search; all without it.
    pub collection: Option<String>,
    /// The most results.
    pub limit: u32,
    /// How many results are skipped before the first.
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
    /// The relevance: more is better.
    pub score: f32,
    /// Its fields: a JSON object of strings.
    pub fields: String,
}

/// The state of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexInfo {
    /// How many documents it indexes.
    pub documents: u64,
    /// How many changes it has not applied yet; none when there is no index, or documents have to be read for it.
    pub waiting: Option<u64>,
    /// The size of its files, in bytes.
    pub bytes: u64,
}

/// Returns the documents that a query finds.
pub(crate) fn query(session: &mut Session, query: &str, options: &Options) -> Result<Vec<Found>, Error> {
    options.collection.as_deref().map_or(Ok(()), check_collection)?;
    View::check(query)?;
    indexing::search(session, IndexedNamespace::Search, |session, view| find(session, view, query, options))
}

/// Rebuilds the index, and returns the number of its documents.
pub(crate) fn rebuild(session: &mut Session) -> Result<u64, Error> {
    Ok(indexing::rebuild(session, IndexedNamespace::Search)?.documents())
}

/// Returns the state of the index.
pub(crate) fn index_info(session: &mut Session) -> Result<IndexInfo, Error> {
    let bytes = session.indexes().of(IndexedNamespace::Search).bytes()?;
    let documents = session.call(|t| search::count(t, None))?;
    let waiting = session.call(|t| search::unapplied_changes(t))?;
    Ok(IndexInfo { documents, waiting: waiting.filter(|_| bytes > 0), bytes })
}

fn find(session: &mut Session, view: &View, query: &str, options: &Options) -> Result<Vec<Found>, Problem> {
    let mut within = None;
    if let Some(collection) = &options.collection {
        within = session.call(|t| search::number(t, collection))?;
        if within.is_none() {
            return Ok(Vec::new());
        }
    }
    let (limit, offset) = (options.limit as usize, options.offset as usize);
    let stop = session.stop();
    let hits = view.find(query, within, Order::BestFirst, limit.saturating_add(offset), &stop)?;
    let page = session.limits().page;
    let mut room = page;
    let (mut found, mut is_missing) = (Vec::new(), false);
    for hit in hits.into_iter().skip(offset) {
        stop.check()?;
        let document = session.call(|t| search::get(t, &hit.collection, &hit.key))?;
        let Some(fields) = document else {
            is_missing = true;
            continue;
        };
        room = room.checked_sub(fields.len()).ok_or_else(|| too_large(page))?;
        let (key, collection, score) = (hit.key, hit.collection, hit.score);
        found.push(Found { key, collection, score, fields: search::as_text(&fields) });
    }
    if is_missing {
        session.call(|t| Ok(indexing::check_missing(t, IndexedNamespace::Search)))??;
    }
    Ok(found)
}

fn too_large(limit: usize) -> Error {
    let limit = size(limit);
    Error::new(ErrorCode::Limit, format!("the results are larger than {limit}: ask for fewer with limit"))
}
