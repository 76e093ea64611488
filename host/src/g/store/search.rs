//! Searching a collection. Nothing is indexed until it is first searched; from then on its changes are logged.

use super::{LIMITS, ListOptions, Sort, Tables, check_name, list::too_large, step, value::Document};
use crate::{
    Error,
    index::{Log, Numbered, Order, Source, Step, Stop, View},
    workspace::{self, Session, failed},
};

/// What the index is made of.
const SOURCE: Source = Source { log, document, step: read_step, collections, count };

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

/// The documents of a collection that a query finds.
pub(crate) fn search(
    session: &mut Session,
    collection: &str,
    query: &str,
    options: &SearchOptions,
) -> Result<Vec<Document>, Error> {
    check_name("collection", collection, LIMITS.collection_bytes)?;
    View::check(query)?;
    session.call(|t| begin(t, collection))?;
    let view = session.indexes().store.up_to_date(session, &SOURCE)?;
    let Some(number) = session.call(|t| t.store.collections.number(collection).map_err(failed))? else {
        return Ok(Vec::new());
    };
    let most = match options.sort {
        Some(_) => usize::MAX,
        None => (options.limit as usize).saturating_add(options.offset as usize),
    };
    let order = if options.descending || options.sort.is_some() { Order::BestFirst } else { Order::WorstFirst };
    let stop = Stop::of(session);
    let hits = view.find(query, Some(number), order, most, &stop)?;
    let keys = hits.into_iter().map(|hit| hit.key).collect();
    session.call(|t| page(&mut t.store, collection, keys, options, &stop))
}

/// From the first search on, a collection's changes are logged.
fn begin(t: &mut workspace::Tables<'_>, collection: &str) -> Result<(), Error> {
    let is_there = t.store.collections.number(collection).map_err(failed)?.is_some();
    if is_there && !t.store.log.is_searched(collection).map_err(failed)? {
        t.store.log.search(collection).map_err(failed)?;
    }
    Ok(())
}

/// The documents with these keys, sorted if they are to be, and of those a page.
fn page(
    tables: &mut Tables<'_>,
    collection: &str,
    mut keys: Vec<String>,
    options: &SearchOptions,
    stop: &Stop,
) -> Result<Vec<Document>, Error> {
    if let Some(sort) = options.sort {
        keys = sorted(tables, collection, keys, sort, stop)?;
        if options.descending {
            keys.reverse();
        }
    }
    let (mut documents, mut room) = (Vec::new(), LIMITS.page_bytes);
    for key in keys.iter().skip(options.offset as usize).take(options.limit as usize) {
        stop.check()?;
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
    stop: &Stop,
) -> Result<Vec<String>, Error> {
    if sort == Sort::Key {
        keys.sort_unstable();
        return Ok(keys);
    }
    let mut places = Vec::new();
    for key in keys {
        stop.check()?;
        if let Some((created, updated)) = tables.moments(collection, &key).map_err(failed)? {
            places.push((if sort == Sort::CreatedAt { created } else { updated }, key));
        }
    }
    places.sort_unstable();
    Ok(places.into_iter().map(|(_, key)| key).collect())
}

fn log<'a, 't>(t: &'a mut workspace::Tables<'t>) -> &'a mut Log<'t> {
    &mut t.store.log
}

fn document(t: &mut workspace::Tables<'_>, collection: &str, key: &str) -> Result<Option<Numbered>, Error> {
    let number = t.store.collections.number(collection).map_err(failed)?;
    let document = t.store.get(collection, key).map_err(failed)?;
    Ok(number.zip(document.map(|document| document.data)))
}

fn read_step(t: &mut workspace::Tables<'_>, collection: &str, after: &str) -> Result<Option<Step>, Error> {
    let Some(number) = t.store.collections.number(collection).map_err(failed)? else { return Ok(None) };
    let documents = step(t, collection, after)?.into_iter().map(|document| (document.key, document.data)).collect();
    Ok(Some(Step { number, documents }))
}

fn count(t: &mut workspace::Tables<'_>, collection: &str) -> Result<u64, Error> {
    t.store.collections.count(collection).map_err(failed)
}

fn collections(t: &mut workspace::Tables<'_>) -> Result<Vec<String>, Error> {
    t.store.log.searched().map_err(failed)
}
