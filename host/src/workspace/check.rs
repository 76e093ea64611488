//! Checks a workspace: the pages of the database, and the rows of each namespace.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Instant,
};

use redb::ReadableDatabase;

use super::{
    Workspace,
    database::Database,
    failure::{failed, panicked},
    process_lock::BUSY_TIMEOUT,
};
use crate::{
    Error,
    data::{self, IndexedNamespace, Problems},
};

impl Workspace {
    /// Reads the whole workspace and its indexes, and returns the problems. All other calls wait meanwhile.
    pub fn check(&self) -> Result<Problems, Error> {
        let mut problems = self.shared().with_exclusive_database(|mut database, _| {
            let problems = check(&mut database);
            database.close_without_writing(());
            problems
        })?;
        self.check_indexes(&mut problems)?;
        Ok(problems)
    }

    /// Verifies the checksums of the indexes' files.
    fn check_indexes(&self, problems: &mut Problems) -> Result<(), Error> {
        let indexes = self.shared().indexes();
        indexes.close();
        let until = Instant::now() + BUSY_TIMEOUT;
        for (namespace, method) in [(IndexedNamespace::Search, "g.search"), (IndexedNamespace::Store, "g.store.search")]
        {
            self.shared().refuse_when_interrupted()?;
            if !indexes.of(namespace).is_intact(until)? {
                problems.note_index(format!("the index of {method} is damaged; to rebuild it: ghost search rebuild"));
            }
        }
        Ok(())
    }
}

/// Returns the problems of a database: of its pages, then of its rows.
pub(super) fn check(database: &mut Database) -> Result<Problems, Error> {
    // Damage can make redb panic.
    catch_unwind(AssertUnwindSafe(|| {
        let mut problems = Problems::default();
        match database.redb.check_integrity() {
            Ok(true) => {}
            Ok(false) => {
                problems.note("pages of the database were damaged, and were repaired as far as possible".into())
            }
            Err(error) => return damage(error.into()),
        }
        match check_tables(database, &mut problems) {
            Ok(()) => Ok(problems),
            Err(error) => damage(error),
        }
    }))
    .unwrap_or_else(|_| Err(panicked()))
}

/// Corruption is a result of the check; any other error is a failure.
fn damage(error: redb::Error) -> Result<Problems, Error> {
    let redb::Error::Corrupted(_) = error else { return Err(failed(error)) };
    tracing::debug!(%error, "the check found damage");
    let mut problems = Problems::default();
    problems.note("the database is damaged".into());
    Ok(problems)
}

fn check_tables(database: &Database, problems: &mut Problems) -> Result<(), redb::Error> {
    data::check(&database.redb.begin_read()?, problems)
}

/// Whether a database contains no collections and no queues.
pub(super) fn holds_nothing(database: &Database) -> Result<bool, Error> {
    let transaction = database.redb.begin_read().map_err(failed)?;
    data::holds_nothing(&transaction).map_err(failed)
}
