//! An open workspace: the lease, the database, the write transaction that all calls go through.
//!
//! Reads go through it as well: a read transaction of their own is no faster, and would hold pages back.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Instant,
};

use super::{
    Tables,
    database::Database,
    failure::{failed, panicked},
    lease::Lease,
    tenure::Tenure,
    transaction::{Clock, Transaction},
};
use crate::{Error, folder::Folder, g::queue};

pub(super) struct Open {
    transaction: Option<Transaction>,
    changed_bytes: usize,
    untidy: bool,
    clock: Clock,
    queue: Arc<queue::Process>,
    database: Database,
    tenure: Tenure,
}

impl Open {
    pub(super) fn new(lease: Lease, database: Database, clock: Clock, queue: Arc<queue::Process>) -> Self {
        queue.opened();
        Self { transaction: None, changed_bytes: 0, untidy: false, clock, queue, database, tenure: Tenure::new(lease) }
    }

    /// How long this process has had the workspace, and who else wants it.
    pub(super) fn tenure(&mut self) -> &mut Tenure {
        &mut self.tenure
    }

    /// About how many bytes were changed since the last commit.
    pub(super) fn changed_bytes(&self) -> usize {
        self.changed_bytes
    }

    /// Whether there is something to tidy up.
    pub(super) fn is_untidy(&self) -> bool {
        self.untidy
    }

    /// One call. When it fails with an error that ends the run, what is open is not to be used again.
    pub(super) fn apply<T>(&mut self, f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let answer = catch_unwind(AssertUnwindSafe(|| self.transaction()?.with(f)));
        if let Some(transaction) = &mut self.transaction {
            (self.changed_bytes, self.untidy) = transaction.with(|tables| (tables.changed_bytes(), tables.is_untidy()));
        }
        answer.unwrap_or_else(|_| Err(panicked()))
    }

    /// The open transaction; begins one when there is none.
    fn transaction(&mut self) -> Result<&mut Transaction, Error> {
        match &mut self.transaction {
            Some(transaction) => Ok(transaction),
            none => {
                let (clock, queue) = (Arc::clone(&self.clock), Arc::clone(&self.queue));
                Ok(none.insert(Transaction::begin(&self.database, clock, queue).map_err(failed)?))
            }
        }
    }

    /// Puts the transaction on disk. As with a call, a failure is the end of what is open.
    pub(super) fn commit(&mut self) -> Result<(), Error> {
        let Some(transaction) = self.transaction.take() else { return Ok(()) };
        self.changed_bytes = 0;
        self.untidy = catch_unwind(AssertUnwindSafe(|| transaction.commit().map_err(failed)))
            .unwrap_or_else(|_| Err(panicked()))?;
        Ok(())
    }

    /// Removes rows that nobody can see any more, as many as there is time for.
    pub(super) fn tidy(&mut self, until: Instant) -> Result<(), Error> {
        self.apply(|tables| tables.tidy(until).map_err(failed))
    }

    /// Hands the database on, with its folder and without the open transaction: what was in it has to be on disk. Then gives
    /// the workspace back.
    pub(super) fn alone<T>(self, f: impl FnOnce(Database, &Folder) -> Result<T, Error>) -> Result<T, Error> {
        let Self { transaction, database, tenure, .. } = self;
        let done = catch_unwind(AssertUnwindSafe(|| {
            drop(transaction);
            f(database, tenure.folder())
        }));
        drop(tenure);
        done.unwrap_or_else(|_| Err(panicked()))
    }

    /// Gives the workspace back as it is after the last commit.
    pub(super) fn leave(self) {
        self.database.leave(self.transaction);
        drop(self.tenure);
    }

    /// Gives the workspace back as it was after the last commit, although a later one may have gone half the way.
    pub(super) fn give_up(self) {
        self.database.take_back();
        self.leave();
    }

    /// Lets nothing more through to the disk.
    #[cfg(test)]
    pub(super) fn cut(&self) {
        self.database.cut();
    }
}
