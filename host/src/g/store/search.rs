//! Searching a collection. No collection is indexed before its first search.

use crate::{
    Error,
    data::{
        IndexedNamespace,
        store::{Document, SearchOptions, check_collection, found, log_changes, number},
    },
    index::{Order, Problem, View},
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
    indexing::search(session, IndexedNamespace::Store, |session, view| find(session, view, collection, query, options))
}

fn find(
    session: &mut Session,
    view: &View,
    collection: &str,
    query: &str,
    options: &SearchOptions,
) -> Result<Vec<Document>, Problem> {
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
    session.call(|t| {
        let page = found(t, collection, keys, options, &|| stop.check())?;
        let checked = if page.is_missing { indexing::check_missing(t, IndexedNamespace::Store) } else { Ok(()) };
        Ok(checked.map(|()| page.documents))
    })?
}

/// Rebuilds the index, and returns the number of its documents.
pub(super) fn rebuild(session: &mut Session) -> Result<u64, Error> {
    Ok(indexing::rebuild(session, IndexedNamespace::Store)?.documents())
}
