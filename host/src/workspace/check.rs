//! Checks a workspace: the pages of the database, and the rows of each namespace.

use std::panic::{AssertUnwindSafe, catch_unwind};

use redb::ReadableDatabase;

use super::{
    Workspace,
    database::Database,
    failure::{failed, panicked},
};
use crate::{
    Error,
    data::{self, Problems},
};

impl Workspace {
    /// Reads the whole workspace, and returns the problems. All other calls wait meanwhile.
    pub fn check(&self) -> Result<Problems, Error> {
        self.shared().with_exclusive_database(|mut database, _| {
            let problems = check(&mut database);
            database.close_without_writing(());
            problems
        })
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
    Ok(Problems { first: vec!["the database is damaged".into()], count: 1 })
}

fn check_tables(database: &Database, problems: &mut Problems) -> Result<(), redb::Error> {
    data::check(&database.redb.begin_read()?, problems)
}

/// Whether a database contains no collections and no queues.
pub(super) fn holds_nothing(database: &Database) -> Result<bool, Error> {
    let transaction = database.redb.begin_read().map_err(failed)?;
    data::holds_nothing(&transaction).map_err(failed)
}
