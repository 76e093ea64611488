//! Giving back to the disk what the database no longer needs.

use super::{Workspace, failure::failed, info::file_bytes};
use crate::Error;

/// The size of a workspace's database before and after it was made smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compacted {
    /// Bytes before.
    pub before: u64,
    /// Bytes after.
    pub after: u64,
}

impl Workspace {
    /// Makes the database as small as it can be. Everybody else waits meanwhile. Cut off in the middle it loses nothing; the
    /// next opening may then take longer, once.
    pub fn compact(&self) -> Result<Compacted, Error> {
        self.shared().alone(|mut database, folder| {
            let before = file_bytes(folder)?;
            let compacted = database.redb.compact();
            match compacted {
                Ok(_) => database.close(),
                Err(_) => database.leave(()),
            }
            compacted.map_err(redb::Error::from).map_err(failed)?;
            Ok(Compacted { before, after: file_bytes(folder)? })
        })
    }
}
