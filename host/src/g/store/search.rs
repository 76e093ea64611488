//! Searching a collection. No collection is indexed before its first search.

use crate::{
    Error,
    data::{
        IndexedNamespace,
        store::{Document, SearchOptions, check_collection, found, log_changes, number},
    },
    index::{Order, View},
    indexing,
    workspace::Session,
};

/// The documents of a collection that a query finds.
pub(crate) fn search(
    session: &mut Session,
    collection: &str,
    query: &str,
    options: &SearchOptions,
) -> Result<Vec<Document>, Error> {
    check_collection(collection)?;
    View::check(query)?;
    session.call(|t| log_changes(t, collection))?;
    let view = indexing::up_to_date(session, IndexedNamespace::Store)?;
    let Some(within) = session.call(|t| number(t, collection))? else {
        return Ok(Vec::new());
    };
    let most = match options.sort {
        Some(_) => usize::MAX,
        None => (options.limit as usize).saturating_add(options.offset as usize),
    };
    let order = if options.descending || options.sort.is_some() { Order::BestFirst } else { Order::WorstFirst };
    let stop = session.stop();
    let hits = view.find(query, Some(within), order, most, &stop)?;
    let keys = hits.into_iter().map(|hit| hit.key).collect();
    session.call(|t| found(t, collection, keys, options, &|| stop.check()))
}
