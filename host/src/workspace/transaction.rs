//! The open write transaction, with its tables held open: opening them for each call would cost half of the speed.

use redb::{Database, Durability, WriteTransaction};
use self_cell::self_cell;

use crate::g::store;

/// The tables of all namespaces, in one transaction.
pub(crate) struct Tables<'t> {
    pub(crate) store: store::Tables<'t>,
}

impl<'t> Tables<'t> {
    fn open(transaction: &'t WriteTransaction) -> Result<Self, redb::Error> {
        Ok(Self { store: store::Tables::open(transaction)? })
    }

    /// How many bytes were written since the last commit.
    pub(super) fn written(&self) -> usize {
        self.store.written()
    }

    /// Writes what is kept in memory between commits. True when there is more to tidy up after this commit.
    fn write_back(&mut self) -> Result<bool, redb::Error> {
        self.store.write_back()
    }
}

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
    pub(super) fn begin(database: &Database) -> Result<Self, redb::Error> {
        Ok(Self(Cell::try_new(begin(database)?, |transaction| Tables::open(transaction))?))
    }

    pub(super) fn with<T>(&mut self, f: impl FnOnce(&mut Tables<'_>) -> T) -> T {
        self.0.with_dependent_mut(|_, tables| f(tables))
    }

    /// Puts it on disk. True when there is more to tidy up.
    pub(super) fn commit(mut self) -> Result<bool, redb::Error> {
        let more = self.with(|tables| tables.write_back())?;
        self.0.into_owner().commit()?;
        Ok(more)
    }
}

/// Quick repair: after a crash, opening takes a moment whatever the size, and what a script stores can't forge a commit.
pub(super) fn begin(database: &Database) -> Result<WriteTransaction, redb::Error> {
    let mut transaction = database.begin_write()?;
    transaction.set_durability(Durability::Immediate)?;
    transaction.set_quick_repair(true);
    Ok(transaction)
}
