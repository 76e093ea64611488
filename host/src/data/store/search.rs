//! The rows of a search: which collections are logged for the index, and the documents that a query has found.

use super::{
    LIMITS, ListOptions, Sort, Tables,
    list::{Look, too_large},
    value::Document,
};
use crate::{
    Error,
    data::{self, failed},
};

/// What a search gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SearchOptions {
    pub(crate) limit: u32,
    pub(crate) offset: u32,
    /// By relevance without it.
    pub(crate) sort: Option<Sort>,
    pub(crate) descending: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        let list = ListOptions::default();
        Self { limit: list.limit, offset: list.offset, sort: None, descending: list.descending }
    }
}

/// Logs the changes of a collection from now on, if it exists: called by every search of it.
pub(crate) fn log_changes(t: &mut data::Tables<'_>, collection: &str) -> Result<(), Error> {
    let is_there = t.store.collections.number(collection).map_err(failed)?.is_some();
    if is_there && !t.store.log.is_logged(collection).map_err(failed)? {
        t.store.log.start_logging(collection).map_err(failed)?;
    }
    Ok(())
}

/// The number of a collection, if it exists.
pub(crate) fn number(t: &mut data::Tables<'_>, collection: &str) -> Result<Option<u64>, Error> {
    t.store.collections.number(collection).map_err(failed)
}

/// Returns a page of the documents with these keys, sorted if the options say so. `look` may end the call.
pub(crate) fn found(
    t: &mut data::Tables<'_>,
    collection: &str,
    mut keys: Vec<String>,
    options: &SearchOptions,
    look: Look<'_>,
) -> Result<Vec<Document>, Error> {
    let tables = &mut t.store;
    if let Some(sort) = options.sort {
        keys = sorted(tables, collection, keys, sort, look)?;
        if options.descending {
            keys.reverse();
        }
    }
    let (mut documents, mut room) = (Vec::new(), LIMITS.page_bytes);
    for key in keys.iter().skip(options.offset as usize).take(options.limit as usize) {
        look()?;
        // Another run may have deleted it meanwhile.
        let Some(document) = tables.get(collection, key).map_err(failed)? else { continue };
        room = room.checked_sub(document.data.len()).ok_or_else(too_large)?;
        documents.push(document);
    }
    Ok(documents)
}

fn sorted(
    tables: &mut Tables<'_>,
    collection: &str,
    mut keys: Vec<String>,
    sort: Sort,
    look: Look<'_>,
) -> Result<Vec<String>, Error> {
    if sort == Sort::Key {
        keys.sort_unstable();
        return Ok(keys);
    }
    let mut places = Vec::new();
    for key in keys {
        look()?;
        if let Some((created, updated)) = tables.moments(collection, &key).map_err(failed)? {
            places.push((if sort == Sort::CreatedAt { created } else { updated }, key));
        }
    }
    places.sort_unstable();
    Ok(places.into_iter().map(|(_, key)| key).collect())
}
