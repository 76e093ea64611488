//! The open write transaction, with its tables held open: opening them for each call would cost half of the speed.

use std::{
    sync::Arc,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use redb::WriteTransaction;
use self_cell::self_cell;

use super::{
    database::Database,
    quota::Quota,
    table::{Changes, Opening},
};
use crate::{
    Error,
    g::{queue, search, store},
};

/// Tells the time, in milliseconds since 1970.
pub(super) type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// The system's clock.
pub(super) fn system_clock() -> Clock {
    Arc::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}

/// The tables of all namespaces, in one transaction.
pub(crate) struct Tables<'t> {
    pub(crate) store: store::Tables<'t>,
    pub(crate) queue: queue::Tables<'t>,
    pub(crate) search: search::Tables<'t>,
    clock: Clock,
    changes: Changes,
    /// That of the run whose call is served.
    quota: Quota,
}

impl<'t> Tables<'t> {
    fn open(
        transaction: &'t WriteTransaction,
        clock: Clock,
        process: Arc<queue::Process>,
    ) -> Result<Self, redb::Error> {
        let opening = Opening::new(transaction);
        let (store, queue) = (store::Tables::open(&opening)?, queue::Tables::open(&opening, process)?);
        let search = search::Tables::open(&opening)?;
        Ok(Self { store, queue, search, clock, changes: opening.changes(), quota: Quota::default() })
    }

    /// Milliseconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        (self.clock)()
    }

    /// Counts rows that are about to be written, and the bytes of their keys and values, as what the run adds to the workspace.
    /// Fails with `limit` when the run may not.
    pub(crate) fn charge(&mut self, rows: u64, bytes: usize) -> Result<(), Error> {
        self.quota.charge(rows, bytes)
    }

    /// One call, of a run with this quota. What the call has left of it counts when it went well: else nothing was written.
    pub(super) fn within<T>(
        &mut self,
        quota: Quota,
        f: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<(T, Quota), Error> {
        self.quota = quota;
        let answer = f(self);
        let left = std::mem::take(&mut self.quota);
        Ok((answer?, left))
    }

    /// About how many bytes were changed since the last commit.
    pub(super) fn changed_bytes(&self) -> usize {
        self.changes.bytes()
    }

    /// Whether there are rows that nobody can see any more.
    pub(super) fn is_untidy(&self) -> bool {
        self.store.is_untidy() || self.queue.is_untidy() || self.search.is_untidy()
    }

    /// Removes rows that nobody can see any more, as many as there is time for.
    pub(super) fn tidy(&mut self, until: Instant) -> Result<(), redb::Error> {
        if self.store.is_untidy() {
            self.store.tidy(until)
        } else if self.queue.is_untidy() {
            self.queue.tidy(until)
        } else {
            self.search.tidy(until)
        }
    }
}

/// Opens the tables of all namespaces, one at a time; one that is not there is made.
pub(super) fn look_at_tables(transaction: &WriteTransaction) -> Result<(), redb::Error> {
    store::Tables::look_at_each(transaction)?;
    queue::Tables::look_at_each(transaction)?;
    search::Tables::look_at_each(transaction)
}

/// Has the indexes of all namespaces made anew.
pub(super) fn give_up_indexes(transaction: &WriteTransaction) -> Result<(), redb::Error> {
    store::Tables::give_up_index(transaction)?;
    search::Tables::give_up_index(transaction)
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
    pub(super) fn begin(database: &Database, clock: Clock, process: Arc<queue::Process>) -> Result<Self, redb::Error> {
        Ok(Self(Cell::try_new(database.begin()?, |transaction| Tables::open(transaction, clock, process))?))
    }

    pub(super) fn with<T>(&mut self, f: impl FnOnce(&mut Tables<'_>) -> T) -> T {
        self.0.with_dependent_mut(|_, tables| f(tables))
    }

    /// Puts it on disk. True when there is something left to tidy up.
    pub(super) fn commit(mut self) -> Result<bool, redb::Error> {
        let untidy = self.with(|tables| {
            tables.store.write_back()?;
            tables.queue.write_back()?;
            tables.search.write_back()?;
            Ok::<_, redb::Error>(tables.is_untidy())
        })?;
        self.0.into_owner().commit()?;
        Ok(untidy)
    }
}
