//! The redb file: creates it, opens it, and refuses files of other programs and formats.

use std::{
    fs::File,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::AtomicBool},
};

use redb::{DatabaseError, Durability, ReadableTable, TableDefinition, WriteTransaction};
use serde_json::json;

use super::{
    disk::{Disk, MAX_BYTES, too_long},
    failure::{DAMAGED, cannot_create, no_workspace, unreadable, unusable},
};
use crate::{Error, data, folder::Folder};

/// The database's file in a workspace's folder.
pub(super) const FILE: &str = "data.redb";
/// The size of redb's cache, in bytes. It belongs to the host's own memory, not to the budget of a run. The system
/// caches more of the file.
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
    /// Begins a write transaction with durability `Immediate` and quick repair: after a crash, redb opens the file
    /// without searching its pages. Quick repair also commits in two phases, so redb need not conclude from checksums
    /// that a commit is complete: a script could choose its data so that the checksum of an incomplete commit matches.
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

    /// Whether the open file is still the database of the folder.
    pub(super) fn is_in(&self, folder: &Folder) -> io::Result<bool> {
        self.disk.is_in(folder, FILE)
    }

    #[cfg(test)]
    pub(super) fn cut(&self) {
        self.disk.cut();
    }

    /// Undoes a commit that failed.
    pub(super) fn restore_header(&self) {
        self.disk.restore_header();
    }

    /// Closes the file as redb does: with three to four syncs, and truncated to the size that it needs.
    pub(super) fn close(self) {
        drop(self.redb);
    }

    /// Closes the file without writing to it. Discards `open`, which is the open transaction, if there is one.
    pub(super) fn close_without_writing<T>(self, open: T) {
        self.disk.cut();
        // After a panic inside redb, its locks are poisoned, and it panics once more.
        let closed = catch_unwind(AssertUnwindSafe(move || {
            drop(open);
            drop(self.redb);
        }));
        if closed.is_err() {
            tracing::warn!("closing the database panicked");
        }
    }
}

/// Opens the database in a workspace's folder. Returns `None` if another process has it open.
pub(super) fn open(folder: &Folder) -> Result<Option<Database>, Error> {
    open_disk(&disk(folder.change(FILE).map_err(unusable)?)?)
}

/// Opens a database in any file. Once `stop` is set, every access to it fails. If this ghost can't read the format, the
/// details of the error contain it.
pub(super) fn open_file(file: File, stop: &Arc<AtomicBool>) -> Result<Option<Database>, Error> {
    let disk = disk(file)?;
    disk.stop_when(stop);
    open_disk(&disk)
}

fn disk(file: File) -> Result<Disk, Error> {
    match file.metadata().map_err(unusable)?.len() {
        // redb would create a new database in an empty file.
        0 => Err(damaged()),
        length if length > MAX_BYTES => Err(unusable(too_long(length))),
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
    match database.read_format() {
        Ok(Some(FORMAT)) => Ok(Some(database)),
        found => {
            database.close_without_writing(());
            Err(match found {
                Ok(Some(format)) => other_format(format),
                Ok(None) => damaged(),
                Err(error) => unreadable(error),
            })
        }
    }
}

impl Database {
    /// Returns the format. Also opens and closes each table once, because redb aborts the process if opening a corrupt
    /// table panics while others are open.
    fn read_format(&self) -> Result<Option<u64>, redb::Error> {
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

/// Creates a database with all its tables in a folder that has none.
pub(super) fn make(folder: &Folder) -> Result<Database, Error> {
    let file = folder.make(FILE).map_err(cannot_create)?;
    make_in(file).map_err(cannot_create)
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
