//! The open write transaction and its tables. The tables stay open, since opening them for each call would halve the
//! speed.

use redb::WriteTransaction;
use self_cell::self_cell;

use super::database::Database;
use crate::data::{ProcessState, Tables};

self_cell!(
    struct Cell {
        owner: WriteTransaction,
        #[not_covariant]
        dependent: Tables,
    }
);

/// A write transaction and the tables that borrow from it.
pub(super) struct Transaction(Cell);

impl Transaction {
    pub(super) fn begin(database: &Database, state: &ProcessState) -> Result<Self, redb::Error> {
        Ok(Self(Cell::try_new(database.begin()?, |transaction| Tables::open(transaction, state))?))
    }

    pub(super) fn with<T>(&mut self, f: impl FnOnce(&mut Tables<'_>) -> T) -> T {
        self.0.with_dependent_mut(|_, tables| f(tables))
    }

    /// Commits the transaction. Returns whether rows of cleared collections, cleared queues or discarded logs still
    /// have to be removed.
    pub(super) fn commit(mut self) -> Result<bool, redb::Error> {
        let needs_purge = self.with(|tables| {
            tables.write_back()?;
            Ok::<_, redb::Error>(tables.needs_purge())
        })?;
        self.0.into_owner().commit()?;
        Ok(needs_purge)
    }
}
