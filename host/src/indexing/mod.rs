//! Brings an index up to date with the database: every query begins with it.
//!
//! ```text
//! g.*.search ─► up_to_date ─► session ─► log and documents (data) ─┐
//!                    │                                             ▼
//!                    └────────► index (its own lock) ◄────── Update: OpenIndex ─► View
//! ```
//!
//! An index that is missing, corrupt or untrusted is rebuilt from the documents.

mod update;

use std::panic::{AssertUnwindSafe, catch_unwind};

use tantivy::TantivyError;

use crate::{
    Error,
    data::{Indexed, Tables, failed},
    index::{self, InUse, Index, Indexing, View},
    workspace::Session,
};
use update::Update;

/// Why an index is not up to date.
enum Problem {
    /// The call fails.
    Call(Error),
    /// The index failed, and is rebuilt.
    Index(TantivyError),
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::Call(error)
    }
}

impl From<TantivyError> for Problem {
    fn from(error: TantivyError) -> Self {
        Self::Index(error)
    }
}

/// Returns the index of a namespace with all changes that were logged so far, by any process.
pub(crate) fn up_to_date(session: &mut Session, indexed: Indexed) -> Result<View, Error> {
    // Opens the workspace, or creates it, before there is an index in it.
    session.call(|_| Ok(()))?;
    let indexes = session.indexes();
    let index = indexes.of(indexed);
    let mut in_use = index.take(session.deadline())?;
    let mut updated = update(index, &mut in_use, session, indexed);
    if let Err(Problem::Index(error)) = updated {
        tracing::warn!(%error, "an index failed, and is rebuilt");
        in_use.remove()?;
        updated = update(index, &mut in_use, session, indexed);
    }
    if updated.is_err() {
        // Uncommitted changes of the index may be lost in the database, or be a part of a document.
        in_use.abandon();
    }
    index.tell(Indexing::Ended);
    in_use.give_way();
    updated.map_err(|problem| match problem {
        Problem::Call(error) => error,
        Problem::Index(error) => index::failed(error),
    })
}

/// Rebuilds the index of a namespace from the documents.
pub(crate) fn rebuild(session: &mut Session, indexed: Indexed) -> Result<View, Error> {
    session.call(|_| Ok(()))?;
    {
        let indexes = session.indexes();
        let mut in_use = indexes.of(indexed).take(session.deadline())?;
        in_use.open_index(session.deadline())?;
        in_use.remove()?;
    }
    session.call(|tables| restart(tables, indexed))?;
    up_to_date(session, indexed)
}

/// Corrupt files can make Tantivy panic.
fn update(index: &Index, in_use: &mut InUse<'_>, session: &mut Session, indexed: Indexed) -> Result<View, Problem> {
    catch_unwind(AssertUnwindSafe(|| try_update(index, in_use, session, indexed)))
        .unwrap_or_else(|_| Err(Problem::Index(TantivyError::InternalError("a panic".into()))))
}

fn try_update(index: &Index, in_use: &mut InUse<'_>, session: &mut Session, indexed: Indexed) -> Result<View, Problem> {
    let open_index = in_use.open_index(session.deadline())?;
    let (point, is_new) = (open_index.point(), open_index.point().is_none() && open_index.is_empty());
    if !session.call(|tables| Ok(tables.source(indexed).log().knows(point)))? {
        if !is_new {
            in_use.remove()?;
        }
        session.call(|tables| restart(tables, indexed))?;
    }
    let open_index = in_use.open_index(session.deadline())?;
    Update::new(index, open_index, session, indexed).run()?;
    // The log may have been discarded by changes that other runs made meanwhile.
    let point = open_index.point();
    if point.is_some() && !session.call(|tables| Ok(tables.source(indexed).log().knows(point)))? {
        return Err(Problem::Index(TantivyError::InternalError("its log was given up".into())));
    }
    Ok(open_index.view())
}

/// Logs that all documents have to be read.
fn restart(tables: &mut Tables<'_>, indexed: Indexed) -> Result<(), Error> {
    let source = tables.source(indexed);
    let collections = source.collections().map_err(failed)?;
    source.log().begin_anew(&collections).map_err(failed)
}
