//! What `g.store.search` needs of the tables: it logs the changes of searched collections, and reads the documents that
//! a query has found.

use super::{
    ListOptions, Sort, Tables,
    list::{CheckTime, too_large},
    value::Document,
};
use crate::{
    Error,
    data::{self, failed},
};

/// The options of a search: which page of the results, and in what order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// The maximum number of documents.
    pub limit: u32,
    /// The number of documents to skip before the first.
    pub offset: u32,
    /// `None` sorts by relevance.
    pub sort: Option<Sort>,
    /// The direction.
    pub descending: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        let list = ListOptions::default();
        Self { limit: list.limit, offset: list.offset, sort: None, descending: list.descending }
    }
}

/// A page of the documents that a query found.
pub(crate) struct FoundPage {
    pub(crate) documents: Vec<Document>,
    /// Whether documents are omitted because they do not exist: they were deleted meanwhile, or the index is damaged.
    pub(crate) is_missing: bool,
}

/// Starts logging the changes of a collection, if it exists. Every search of the collection calls it.
pub(crate) fn log_changes(t: &mut data::Tables<'_>, collection: &str) -> Result<(), Error> {
    let exists = t.store.collections.number(collection).map_err(failed)?.is_some();
    if exists && !t.store.log.is_searched(collection).map_err(failed)? {
        t.store.log.start_logging(collection).map_err(failed)?;
    }
    Ok(())
}

/// Returns the number of a collection, if it exists.
pub(crate) fn number(t: &mut data::Tables<'_>, collection: &str) -> Result<Option<u64>, Error> {
    t.store.collections.number(collection).map_err(failed)
}

/// Returns a page of the documents with these keys, sorted as in the options. `check_time` may end the call.
pub(crate) fn found(
    t: &mut data::Tables<'_>,
    collection: &str,
    mut keys: Vec<String>,
    options: &SearchOptions,
    check_time: CheckTime<'_>,
) -> Result<FoundPage, Error> {
    let (tables, limit, hits) = (&mut t.store, t.limits.page, keys.len());
    if let Some(sort) = options.sort {
        keys = sorted(tables, collection, keys, sort, check_time)?;
        if options.descending {
            keys.reverse();
        }
    }
    let (mut documents, mut room, mut is_missing) = (Vec::new(), limit, keys.len() < hits);
    for key in keys.iter().skip(options.offset as usize).take(options.limit as usize) {
        check_time()?;
        let Some(document) = tables.get(collection, key).map_err(failed)? else {
            is_missing = true;
            continue;
        };
        room = room.checked_sub(document.data.len()).ok_or_else(|| too_large(limit))?;
        documents.push(document);
    }
    Ok(FoundPage { documents, is_missing })
}

fn sorted(
    tables: &mut Tables<'_>,
    collection: &str,
    mut keys: Vec<String>,
    sort: Sort,
    check_time: CheckTime<'_>,
) -> Result<Vec<String>, Error> {
    if sort == Sort::Key {
        keys.sort_unstable();
        return Ok(keys);
    }
    let mut moments = Vec::new();
    for key in keys {
        check_time()?;
        if let Some((created, updated)) = tables.moments(collection, &key).map_err(failed)? {
            moments.push((if sort == Sort::CreatedAt { created } else { updated }, key));
        }
    }
    moments.sort_unstable();
    Ok(moments.into_iter().map(|(_, key)| key).collect())
}
