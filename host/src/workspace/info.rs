//! The contents of a workspace, and their sizes.

use std::{
    io::{self, ErrorKind},
    path::PathBuf,
};

use super::{Session, Workspace, database, failure::unusable, folder::SECRETS};
use crate::{
    Error,
    data::{
        queue::{self, Overview},
        search, store,
    },
    folder::Folder,
};

/// The contents of a workspace. Other calls are executed while it is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Its location.
    pub path: PathBuf,
    /// The format of its database.
    pub format: u64,
    /// The length of its database file, in bytes.
    pub file_bytes: u64,
    /// The total length of the files of the indexes of `g.search` and `g.store`, which can be rebuilt.
    pub index_bytes: u64,
    /// The total length of the files of its secrets.
    pub secret_bytes: u64,
    /// The total length of all its files: these three, and a few small ones.
    pub total_bytes: u64,
    /// The collections of `g.store`, by their names.
    pub collections: Vec<CollectionInfo>,
    /// The queues of `g.queue`, by their names.
    pub queues: Vec<Overview>,
    /// The collections of `g.search`, by their names.
    pub searched: Vec<search::Collection>,
}

/// A collection of `g.store`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionInfo {
    /// Its name.
    pub name: String,
    /// The number of its documents.
    pub documents: u64,
    /// The total size of their keys and their JSON, in bytes.
    pub bytes: u64,
}

impl Workspace {
    /// Returns the contents of the workspace, and their sizes.
    pub fn info(&self) -> Result<Info, Error> {
        let mut session = self.session_of_program();
        let collections = collections(&mut session)?;
        let queues = session.call_after_expiry(queue::overview)?;
        let searched = session.call(search::collections_with_counts)?;
        let location = self.shared().location();
        let folder = location.open().map_err(unusable)?;
        let (file_bytes, index_bytes) = (file_bytes(&folder)?, self.shared().indexes().bytes()?);
        let secret_bytes = bytes_in(&folder, SECRETS).map_err(unusable)?;
        let total_bytes = folder.bytes().map_err(unusable)? + index_bytes + secret_bytes;
        let (path, format) = (location.path().to_path_buf(), database::FORMAT);
        Ok(Info { path, format, file_bytes, index_bytes, secret_bytes, total_bytes, collections, queues, searched })
    }
}

fn collections(session: &mut Session) -> Result<Vec<CollectionInfo>, Error> {
    let mut collections: Vec<CollectionInfo> = Vec::new();
    loop {
        let last = collections.last().map_or("", |last| &last.name);
        let Some(name) = session.call(|tables| store::next_collection(tables, last))? else { return Ok(collections) };
        let (documents, bytes) = measure(session, &name)?;
        collections.push(CollectionInfo { name, documents, bytes });
    }
}

/// Returns the number of documents of a collection, and the bytes of their keys and JSON. Other calls are executed
/// between its steps.
fn measure(session: &mut Session, collection: &str) -> Result<(u64, u64), Error> {
    let (mut documents, mut bytes, mut after) = (0, 0, Vec::new());
    loop {
        let measure = session.call(|tables| store::measure(tables, collection, &after))?;
        documents += measure.documents;
        bytes += measure.bytes;
        match measure.last {
            Some(last) => after = last,
            None => return Ok((documents, bytes)),
        }
    }
}

/// Returns the length of the database file of a workspace.
pub(super) fn file_bytes(folder: &Folder) -> Result<u64, Error> {
    let stat = folder.stat(database::FILE).map_err(unusable)?;
    Ok(stat.map_or(0, |stat| u64::try_from(stat.st_size).unwrap_or(0)))
}

/// Returns the total length of the files in a subfolder; 0 if it does not exist.
fn bytes_in(folder: &Folder, name: &str) -> io::Result<u64> {
    match folder.folder(name) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
        inside => inside?.bytes(),
    }
}
