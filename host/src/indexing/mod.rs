//! Brings an index up to date with the database: every query begins with it.
//!
//! ```text
//! g.search.query, g.store.search ─► up_to_date ─► session ─► log and documents (data) ─┐
//!                                       │                                             ▼
//!                                       └────────► index (its own lock) ◄────── Update: OpenIndex ─► View
//! ```
//!
//! An index that is missing, corrupt or untrusted is rebuilt from the documents.

mod update;

use std::panic::{AssertUnwindSafe, catch_unwind};

use tantivy::TantivyError;

use crate::{
    Error,
    data::{IndexedNamespace, Tables, failed},
    index::{InUse, Index, Indexing, Problem, View},
    workspace::Session,
};
use update::Update;

/// Returns the index of a namespace with all changes that were logged so far, by any process.
pub(crate) fn up_to_date(session: &mut Session, namespace: IndexedNamespace) -> Result<View, Error> {
    // Opens or creates the workspace, because the folder of the index is in it.
    session.call(|_| Ok(()))?;
    let indexes = session.indexes();
    let index = indexes.of(namespace);
    let mut in_use = index.take(session.deadline())?;
    let mut updated = update(index, &mut in_use, session, namespace);
    if let Err(Problem::Index(error)) = updated {
        tracing::warn!(%error, "an index failed, and is rebuilt");
        in_use.remove()?;
        updated = update(index, &mut in_use, session, namespace);
    }
    match &updated {
        Ok(_) => {}
        // The index's uncommitted changes may be missing from the database, or contain half a document: discard them.
        Err(Problem::Call(_)) => in_use.abandon(),
        // The next query has to rebuild it; until then, its files would take space for nothing.
        Err(Problem::Index(_)) => drop(in_use.remove().inspect_err(|error| tracing::debug!(%error, "an index stays"))),
    }
    index.report(Indexing::Ended);
    in_use.close_if_wanted();
    Ok(updated?)
}

/// Calls `find` with the up-to-date index of a namespace. An index whose files turn out to be damaged is rebuilt and searched
/// again.
pub(crate) fn search<T>(
    session: &mut Session,
    namespace: IndexedNamespace,
    find: impl Fn(&mut Session, &View) -> Result<T, Problem>,
) -> Result<T, Error> {
    let view = up_to_date(session, namespace)?;
    match find(session, &view) {
        Err(Problem::Index(error)) => {
            tracing::warn!(%error, "a damaged index is rebuilt");
            drop(view);
            let view = rebuild(session, namespace)?;
            Ok(find(session, &view)?)
        }
        found => Ok(found?),
    }
}

/// Fails if the index found documents that do not exist although it has applied every logged change: it is damaged.
pub(crate) fn check_missing(tables: &mut Tables<'_>, namespace: IndexedNamespace) -> Result<(), Problem> {
    match tables.source(namespace).log().unapplied_changes().map_err(failed)? {
        Some(0) => Err(Problem::damage("it finds documents that do not exist")),
        // Another run deleted them meanwhile.
        _ => Ok(()),
    }
}

/// Rebuilds the index of a namespace from the documents.
pub(crate) fn rebuild(session: &mut Session, namespace: IndexedNamespace) -> Result<View, Error> {
    session.call(|_| Ok(()))?;
    {
        let indexes = session.indexes();
        let mut in_use = indexes.of(namespace).take(session.deadline())?;
        in_use.open_index(session.deadline())?;
        in_use.remove()?;
    }
    session.call(|tables| log_full_rebuild(tables, namespace))?;
    up_to_date(session, namespace)
}

/// Updates the index. Converts a panic of Tantivy, which corrupt files can cause, to an error of the index.
fn update(
    index: &Index,
    in_use: &mut InUse<'_>,
    session: &mut Session,
    namespace: IndexedNamespace,
) -> Result<View, Problem> {
    catch_unwind(AssertUnwindSafe(|| try_update(index, in_use, session, namespace)))
        .unwrap_or_else(|_| Err(Problem::Index(TantivyError::InternalError("a panic".into()))))
}

fn try_update(
    index: &Index,
    in_use: &mut InUse<'_>,
    session: &mut Session,
    namespace: IndexedNamespace,
) -> Result<View, Problem> {
    let open_index = in_use.open_index(session.deadline())?;
    let (position, is_fresh) = (open_index.position(), open_index.position().is_none() && open_index.is_empty());
    if !session.call(|tables| Ok(tables.source(namespace).log().can_continue_from(position)))? {
        if !is_fresh {
            in_use.remove()?;
        }
        session.call(|tables| log_full_rebuild(tables, namespace))?;
    }
    let open_index = in_use.open_index(session.deadline())?;
    Update::new(index, open_index, session, namespace).run()?;
    // The log may have been discarded by changes that other runs made meanwhile.
    let position = open_index.position();
    if position.is_some() && !session.call(|tables| Ok(tables.source(namespace).log().can_continue_from(position)))? {
        return Err(Problem::Index(TantivyError::InternalError("its log was discarded".into())));
    }
    Ok(open_index.view())
}

/// Logs that all documents have to be indexed.
fn log_full_rebuild(tables: &mut Tables<'_>, namespace: IndexedNamespace) -> Result<(), Error> {
    let source = tables.source(namespace);
    let collections = source.collections().map_err(failed)?;
    source.log().log_full_rebuild(&collections).map_err(failed)
}
