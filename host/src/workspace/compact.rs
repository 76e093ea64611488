//! Compaction: reduces the size of the database file.

use super::{Workspace, failure::failed, info::file_bytes};
use crate::Error;

/// The length of a workspace's database file before and after compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compacted {
    /// The bytes before.
    pub before: u64,
    /// The bytes after.
    pub after: u64,
}

impl Workspace {
    /// Reduces the database file to its minimum size, after removing what was cleared. All other calls wait meanwhile. An
    /// interrupted compaction loses no data, but the next open may take longer.
    pub fn compact(&self) -> Result<Compacted, Error> {
        self.shared().with_purged_database(|mut database, folder| {
            let before = file_bytes(folder)?;
            let compacted = database.redb.compact();
            match compacted {
                Ok(_) => database.close(),
                Err(_) => database.close_without_writing(()),
            }
            compacted.map_err(redb::Error::from).map_err(failed)?;
            Ok(Compacted { before, after: file_bytes(folder)? })
        })
    }
}
