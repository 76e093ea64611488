//! An open workspace: the process lock, the database, and the write transaction of all calls.
//!
//! Reads use it too: read transactions are no faster, and they would keep old pages.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    database::Database,
    failure::{failed, panicked, removed},
    process_lock::ProcessLock,
    transaction::Transaction,
    yield_policy::{Decision, YieldPolicy},
};
use crate::{
    Error,
    data::{ProcessState, Tables},
    folder::{Folder, Location},
};

/// The time between two commits of `finish_purge`.
const PURGE_PART: Duration = Duration::from_millis(200);

pub(super) struct Open {
    transaction: Option<Transaction>,
    changed_bytes: usize,
    needs_purge: bool,
    data: Arc<ProcessState>,
    database: Database,
    yield_policy: YieldPolicy,
}

impl Open {
    pub(super) fn new(process_lock: ProcessLock, database: Database, data: Arc<ProcessState>) -> Self {
        let yield_policy = YieldPolicy::new(process_lock);
        data.opened();
        data.queue().set_wanted(yield_policy.is_wanted());
        Self { transaction: None, changed_bytes: 0, needs_purge: false, data, database, yield_policy }
    }

    /// Decides whether to release the workspace.
    pub(super) fn poll(&mut self) -> Decision {
        let decision = self.yield_policy.poll();
        self.data.queue().set_wanted(self.yield_policy.is_wanted());
        decision
    }

    /// Returns what decides when to release the workspace.
    pub(super) fn yield_policy(&mut self) -> &mut YieldPolicy {
        &mut self.yield_policy
    }

    /// Returns the approximate number of bytes that were changed since the last commit.
    pub(super) fn changed_bytes(&self) -> usize {
        self.changed_bytes
    }

    /// Whether rows of cleared collections, cleared queues or discarded logs still have to be removed.
    pub(super) fn needs_purge(&self) -> bool {
        self.needs_purge
    }

    /// Executes a call. After an error that ends the run, the open workspace must not be used again.
    pub(super) fn apply<T>(&mut self, f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let answer = catch_unwind(AssertUnwindSafe(|| self.transaction()?.with(f)));
        if let Some(transaction) = &mut self.transaction {
            (self.changed_bytes, self.needs_purge) =
                transaction.with(|tables| (tables.changed_bytes(), tables.needs_purge()));
        }
        answer.unwrap_or_else(|_| Err(panicked()))
    }

    /// Returns the open transaction; begins one if needed.
    fn transaction(&mut self) -> Result<&mut Transaction, Error> {
        match &mut self.transaction {
            Some(transaction) => Ok(transaction),
            none => Ok(none.insert(Transaction::begin(&self.database, &self.data).map_err(failed)?)),
        }
    }

    /// Commits the transaction. After an error, the open workspace must not be used again.
    pub(super) fn commit(&mut self) -> Result<(), Error> {
        let Some(transaction) = self.transaction.take() else { return Ok(()) };
        self.changed_bytes = 0;
        self.needs_purge = catch_unwind(AssertUnwindSafe(|| transaction.commit().map_err(failed)))
            .unwrap_or_else(|_| Err(panicked()))?;
        Ok(())
    }

    /// Fails if the workspace is no longer at its location: what is written to it would be lost.
    pub(super) fn check_location(&self, location: &Location) -> Result<(), Error> {
        let folder = self.yield_policy.folder();
        match location.leads_to(folder).and_then(|is_there| Ok(is_there && self.database.is_in(folder)?)) {
            Ok(true) => Ok(()),
            Ok(false) => Err(removed()),
            Err(error) => Err(failed(redb::Error::Io(error))),
        }
    }

    /// Removes such rows (`needs_purge`) until the time is over, but at least one step of them.
    pub(super) fn purge(&mut self, until: Instant) -> Result<(), Error> {
        self.apply(|tables| tables.purge(until).map_err(failed))
    }

    /// Removes all such rows (`needs_purge`), and commits after each part, so that the next part reuses the space. Stops
    /// with the error of `may_continue`. After an error, the open workspace must not be used again.
    pub(super) fn finish_purge(&mut self, may_continue: impl Fn() -> Result<(), Error>) -> Result<(), Error> {
        loop {
            self.purge(Instant::now() + PURGE_PART)?;
            // Nothing was left to be removed, so nothing has to be committed.
            if self.changed_bytes == 0 {
                return Ok(());
            }
            self.commit()?;
            may_continue()?;
        }
    }

    /// Calls `f` with the database and its folder, then releases the workspace. The open transaction must have been
    /// committed.
    pub(super) fn with_exclusive_database<T>(
        self,
        f: impl FnOnce(Database, &Folder) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Self { transaction, database, yield_policy, .. } = self;
        let done = catch_unwind(AssertUnwindSafe(|| {
            drop(transaction);
            f(database, yield_policy.folder())
        }));
        drop(yield_policy);
        done.unwrap_or_else(|_| Err(panicked()))
    }

    /// Releases the workspace. Discards the open transaction.
    pub(super) fn release(self) {
        self.database.close_without_writing(self.transaction);
        drop(self.yield_policy);
    }

    /// Restores the header of the last successful sync, then releases the workspace: a commit that failed half-way does
    /// not become visible.
    pub(super) fn roll_back_and_release(self) {
        self.database.restore_header();
        self.release();
    }

    /// Makes all further writes to the file fail.
    #[cfg(test)]
    pub(super) fn cut(&self) {
        self.database.cut();
    }
}
