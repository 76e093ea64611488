//! The redb file: creates it, opens it, and refuses files of other programs and formats.

use std::{
    fs::File,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::AtomicBool},
};

use redb::{DatabaseError, Durability, ReadableTable, TableDefinition, WriteTransaction};
use serde_json::json;

use super::{
    disk::{Disk, LONGEST, too_long},
    failure::{DAMAGED, no_workspace, unmakable, unreadable, unusable},
};
use crate::{Error, data, folder::Folder};

/// The database's file in a workspace's folder.
pub(super) const FILE: &str = "data.redb";
/// How many bytes of the file redb caches: part of the host's own memory, which no run's budget contains. The system caches
/// more of the file.
const CACHE_BYTES: usize = 26 << 20;

/// The format of the tables. It increases when an older ghost could not read the file.
pub(super) const FORMAT: u64 = 1;
const META: TableDefinition<'static, &'static str, u64> = TableDefinition::new("meta");
const FORMAT_KEY: &str = "format";

/// An open database.
pub(super) struct Database {
    pub(super) redb: redb::Database,
    disk: Disk,
}

impl Database {
    /// Quick repair: after a crash, opening takes a moment whatever the size, and what a script stores can't forge a
    /// commit.
    pub(super) fn begin(&self) -> Result<WriteTransaction, redb::Error> {
        let mut transaction = self.redb.begin_write()?;
        transaction.set_durability(Durability::Immediate)?;
        transaction.set_quick_repair(true);
        Ok(transaction)
    }

    /// Discards the logs of all indexes, which are then rebuilt.
    pub(super) fn rebuild_indexes(&self) -> Result<(), redb::Error> {
        let transaction = self.begin()?;
        data::rebuild_indexes(&transaction)?;
        Ok(transaction.commit()?)
    }

    #[cfg(test)]
    pub(super) fn cut(&self) {
        self.disk.cut();
    }

    /// Undoes a commit that failed.
    pub(super) fn take_back(&self) {
        self.disk.take_back();
    }

    /// Closes the file as redb does it: with three to four syncs, and no larger than it has to be.
    pub(super) fn close(self) {
        drop(self.redb);
    }

    /// Leaves the file as it is after the last commit, whatever `open`, its open transaction, still holds.
    pub(super) fn leave<T>(self, open: T) {
        self.disk.cut();
        // After a panic inside redb its locks are poisoned, and it panics once more.
        let left = catch_unwind(AssertUnwindSafe(move || {
            drop(open);
            drop(self.redb);
        }));
        if left.is_err() {
            tracing::warn!("the database was left with a panic");
        }
    }
}

/// Opens the database in a workspace's folder; none when another process has it open.
pub(super) fn open(folder: &Folder) -> Result<Option<Database>, Error> {
    open_disk(&disk(folder.change(FILE).map_err(unusable)?)?)
}

/// Opens a database in any file, which fails once the flag is set. A format that this ghost can't read is in the details of
/// the error.
pub(super) fn open_file(file: File, stop: &Arc<AtomicBool>) -> Result<Option<Database>, Error> {
    let disk = disk(file)?;
    disk.stop_when(stop);
    open_disk(&disk)
}

fn disk(file: File) -> Result<Disk, Error> {
    match file.metadata().map_err(unusable)?.len() {
        // redb would take an empty file for one that is to be filled.
        0 => Err(damaged()),
        length if length > LONGEST => Err(unusable(too_long(length))),
        _ => Disk::new(file).map_err(unreadable),
    }
}

fn open_disk(disk: &Disk) -> Result<Option<Database>, Error> {
    // A damaged file can make redb panic.
    match catch_unwind(AssertUnwindSafe(|| checked(disk))) {
        Ok(opened) => opened,
        Err(_) => Err(damaged()),
    }
    .inspect_err(|_| disk.cut())
}

fn checked(disk: &Disk) -> Result<Option<Database>, Error> {
    let redb = match redb::Database::builder().set_cache_size(CACHE_BYTES).create_with_backend(disk.clone()) {
        Ok(redb) => redb,
        Err(DatabaseError::DatabaseAlreadyOpen) => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let database = Database { redb, disk: disk.clone() };
    match database.look() {
        Ok(Some(FORMAT)) => Ok(Some(database)),
        found => {
            database.leave(());
            Err(match found {
                Ok(Some(format)) => other_format(format),
                Ok(None) => damaged(),
                Err(error) => unreadable(error),
            })
        }
    }
}

impl Database {
    /// The format, after a look at every table: redb aborts the process if a damaged one panics while others are open.
    fn look(&self) -> Result<Option<u64>, redb::Error> {
        let transaction = self.begin()?;
        let format = {
            let meta = transaction.open_table(META)?;
            let format = meta.get(FORMAT_KEY)?;
            format.map(|format| format.value())
        };
        if format == Some(FORMAT) {
            data::open_each(&transaction)?;
        }
        Ok(format)
    }
}

fn other_format(format: u64) -> Error {
    let mut error = no_workspace(format!("the workspace has format {format}, this ghost reads {FORMAT}"));
    error.details = Some(json!({ "format": format }));
    error
}

fn damaged() -> Error {
    no_workspace(format!("the workspace can't be opened: {DAMAGED}"))
}

/// Makes a database, with all its tables, where there is none.
pub(super) fn make(folder: &Folder) -> Result<Database, Error> {
    let file = folder.make(FILE).map_err(unmakable)?;
    make_in(file).map_err(unmakable)
}

fn make_in(file: File) -> Result<Database, redb::Error> {
    let disk = Disk::unsynced(file)?;
    let redb = redb::Database::builder().set_cache_size(CACHE_BYTES).create_with_backend(disk.clone())?;
    let database = Database { redb, disk };
    let transaction = database.begin()?;
    transaction.open_table(META)?.insert(FORMAT_KEY, FORMAT)?;
    data::open_each(&transaction)?;
    transaction.commit()?;
    database.disk.sync()?;
    Ok(database)
}
