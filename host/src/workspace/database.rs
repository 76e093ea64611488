//! The redb file: made so that a crash leaves it whole or not there, opened, refused when it is not ours.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use redb::{Database, DatabaseError, ReadableDatabase, StorageError, TableDefinition};

use super::{
    folder::{self, no_workspace, reason},
    transaction,
};
use crate::Error;

const FILE: &str = "data.redb";
/// How much of the file redb keeps in memory.
const CACHE_BYTES: usize = 64 << 20;

/// The format of what is in the file. A newer one is refused; it changes when an older ghost could not read it.
const FORMAT: u64 = 1;
pub(super) const META: TableDefinition<'static, &'static str, u64> = TableDefinition::new("meta");
const FORMAT_KEY: &str = "format";

/// Opens the database in a workspace's folder, and makes it when it is not there.
pub(super) fn open(folder: &Path) -> Result<Database, Error> {
    let file = folder.join(FILE);
    if !file.try_exists().map_err(|error| folder::unusable(&error).because(error))? {
        make(folder).map_err(|error| {
            let why = io_error(&error).map_or("storage error".into(), reason);
            no_workspace(&format!("the workspace (.ghost) can't be made: {why}")).because(error)
        })?;
    }
    // A damaged file can make redb panic.
    let database = catch_unwind(|| checked(&file)).unwrap_or_else(|_| Err(Refused::Damaged))?;
    Ok(database)
}

/// Why a database is not opened.
enum Refused {
    Damaged,
    Newer(u64),
    Storage(redb::Error),
}

impl<E: Into<redb::Error>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self::Storage(error.into())
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Damaged => no_workspace("the workspace's database (.ghost/data.redb) is damaged"),
            Refused::Newer(format) => no_workspace(&format!("the workspace has format {format}, this ghost reads {FORMAT}")),
            Refused::Storage(error) => match io_error(&error).filter(|error| error.kind() != std::io::ErrorKind::InvalidData) {
                Some(io) => no_workspace(&format!("the workspace (.ghost) can't be opened: {}", reason(io))).because(error),
                None => no_workspace("the workspace's database (.ghost/data.redb) is damaged").because(error),
            },
        }
    }
}

fn io_error(error: &redb::Error) -> Option<&std::io::Error> {
    match error {
        redb::Error::Io(error) => Some(error),
        _ => None,
    }
}

fn checked(file: &Path) -> Result<Database, Refused> {
    let database = Database::builder().set_cache_size(CACHE_BYTES).open(file)?;
    let format = database.begin_read()?.open_table(META)?.get(FORMAT_KEY)?.map(|format| format.value());
    match format {
        Some(FORMAT) => Ok(database),
        Some(format) => Err(Refused::Newer(format)),
        None => Err(Refused::Damaged),
    }
}

/// Under another name first: a name that is there has a whole database behind it.
fn make(folder: &Path) -> Result<(), redb::Error> {
    let unfinished = folder.join("data.redb.new");
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(redb::Error::Io(error)),
        _ => {}
    }
    let database = catch_unwind(AssertUnwindSafe(|| Database::create(&unfinished)))
        .unwrap_or_else(|_| Err(DatabaseError::Storage(StorageError::Corrupted("not made".into()))))?;
    let transaction = transaction::begin(&database)?;
    transaction.open_table(META)?.insert(FORMAT_KEY, FORMAT)?;
    transaction.commit()?;
    drop(database);
    fs::rename(&unfinished, folder.join(FILE)).and_then(|()| folder::sync(folder)).map_err(redb::Error::Io)
}
