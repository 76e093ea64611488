//! The tables of all namespaces, open in one transaction.

use std::time::Instant;

use redb::{ReadTransaction, WriteTransaction};

use super::{Changes, Clock, DataLimits, Opening, Problems, ProcessState, Quota, queue, search, store};
use crate::Error;

/// The tables of one namespace. The methods without a receiver work on a database whose tables are not open.
pub(crate) trait TableSet {
    /// Opens each table and closes it before the next; creates those that do not exist.
    fn open_each(transaction: &WriteTransaction) -> Result<(), redb::Error>
    where
        Self: Sized;

    /// Writes the changes that are kept in memory until the commit.
    fn write_back(&mut self) -> Result<(), redb::Error>;

    /// Whether rows of cleared collections, cleared queues or discarded logs still have to be removed.
    fn needs_purge(&self) -> bool;

    /// Removes such rows (`needs_purge`) until the time is over, but at least one step of them.
    fn purge(&mut self, until: Instant) -> Result<(), redb::Error>;

    /// Notes every problem of the rows.
    fn check(transaction: &ReadTransaction, problems: &mut Problems) -> Result<(), redb::Error>
    where
        Self: Sized;

    /// Whether the tables contain no collections and no queues.
    fn holds_nothing(transaction: &ReadTransaction) -> Result<bool, redb::Error>
    where
        Self: Sized;
}

/// The open tables of all namespaces, in one transaction.
pub(crate) struct Tables<'t> {
    pub(crate) store: store::Tables<'t>,
    pub(crate) queue: queue::Tables<'t>,
    pub(crate) search: search::Tables<'t>,
    clock: Clock,
    changes: Changes,
    /// The quota of the run whose call is executed.
    quota: Quota,
    /// The limits of the session whose call is executed.
    pub(crate) limits: DataLimits,
}

impl<'t> Tables<'t> {
    pub(crate) fn open(transaction: &'t WriteTransaction, state: &ProcessState) -> Result<Self, redb::Error> {
        let opening = Opening::new(transaction);
        let (store, queue) = (store::Tables::open(&opening)?, queue::Tables::open(&opening, state.queue().clone())?);
        let (search, clock) = (search::Tables::open(&opening)?, state.clock.clone());
        Ok(Self {
            store,
            queue,
            search,
            clock,
            changes: opening.changes(),
            quota: Quota::default(),
            limits: DataLimits::default(),
        })
    }

    /// Returns the current time, in milliseconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        (self.clock)()
    }

    /// Counts rows that are about to be written, and the bytes of their keys and values, against the run's disk quota.
    ///
    /// Fails with `limit`, and counts nothing, when they exceed it.
    pub(crate) fn charge(&mut self, rows: u64, bytes: usize) -> Result<(), Error> {
        self.quota.charge(rows, bytes)
    }

    /// Executes one call of a session with its quota and limits. Returns the remaining quota when the call succeeds; a call
    /// that fails has written nothing.
    pub(crate) fn within<T>(
        &mut self,
        quota: Quota,
        limits: DataLimits,
        f: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<(T, Quota), Error> {
        (self.quota, self.limits) = (quota, limits);
        let answer = f(self);
        self.limits = DataLimits::default();
        let left = std::mem::take(&mut self.quota);
        Ok((answer?, left))
    }

    /// Returns the approximate number of bytes that were changed since the last commit.
    pub(crate) fn changed_bytes(&self) -> usize {
        self.changes.bytes()
    }

    /// Whether rows of cleared collections, cleared queues or discarded logs still have to be removed.
    pub(crate) fn needs_purge(&self) -> bool {
        self.store.needs_purge() || self.queue.needs_purge() || self.search.needs_purge()
    }

    /// Removes such rows (`needs_purge`) until the time is over, but at least one step of them.
    pub(crate) fn purge(&mut self, until: Instant) -> Result<(), redb::Error> {
        self.each().into_iter().find(|tables| tables.needs_purge()).map_or(Ok(()), |tables| tables.purge(until))
    }

    /// Writes the changes that are kept in memory until the commit.
    pub(crate) fn write_back(&mut self) -> Result<(), redb::Error> {
        self.each().into_iter().try_for_each(|tables| tables.write_back())
    }

    fn each(&mut self) -> [&mut dyn TableSet; 3] {
        [&mut self.store, &mut self.queue, &mut self.search]
    }
}

/// Opens the tables of all namespaces, one at a time; creates those that do not exist.
pub(crate) fn open_each(transaction: &WriteTransaction) -> Result<(), redb::Error> {
    store::Tables::open_each(transaction)?;
    queue::Tables::open_each(transaction)?;
    search::Tables::open_each(transaction)
}

/// Notes every problem of the rows of all namespaces.
pub(crate) fn check(transaction: &ReadTransaction, problems: &mut Problems) -> Result<(), redb::Error> {
    store::Tables::check(transaction, problems)?;
    queue::Tables::check(transaction, problems)?;
    search::Tables::check(transaction, problems)
}

/// Whether the database contains no collections and no queues.
pub(crate) fn holds_nothing(transaction: &ReadTransaction) -> Result<bool, redb::Error> {
    Ok(store::Tables::holds_nothing(transaction)?
        && queue::Tables::holds_nothing(transaction)?
        && search::Tables::holds_nothing(transaction)?)
}

/// Discards the logs of all indexes, so that each index is rebuilt by its next query.
pub(crate) fn rebuild_indexes(transaction: &WriteTransaction) -> Result<(), redb::Error> {
    store::Tables::rebuild_index(transaction)?;
    search::Tables::rebuild_index(transaction)
}
