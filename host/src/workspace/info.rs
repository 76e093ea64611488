//! What is in a workspace, and how much of it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{Workspace, database, failure::unusable, folder};
use crate::{
    Error,
    queue::{Overview, Queues},
    search::{self, Searches},
    store::Documents,
};

/// What is in a workspace. Others have their turn while it is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Where it lies.
    pub path: PathBuf,
    /// The format of its database.
    pub format: u64,
    /// The size of its database on disk.
    pub file_bytes: u64,
    /// The size of the indexes of `g.search` and `g.store` on disk: they can be made anew.
    pub index_bytes: u64,
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
    /// How many documents it holds.
    pub documents: u64,
    /// How many bytes their keys and their JSON are.
    pub bytes: u64,
}

impl Workspace {
    /// What is in the workspace, and how much.
    pub fn info(&self) -> Result<Info, Error> {
        let collections = collections(&mut Documents::of(self))?;
        let queues = Queues::of(self).overview()?;
        let searched = Searches::of(self).collections()?;
        let path = folder::of(self.shared().folder());
        let (file_bytes, index_bytes) = (file_bytes(&path)?, self.shared().indexes().bytes()?);
        Ok(Info { path, format: database::FORMAT, file_bytes, index_bytes, collections, queues, searched })
    }
}

fn collections(documents: &mut Documents) -> Result<Vec<CollectionInfo>, Error> {
    let mut collections: Vec<CollectionInfo> = Vec::new();
    while let Some(name) = documents.next_collection(collections.last().map_or("", |last| &last.name))? {
        let (count, bytes) = documents.measure(&name)?;
        collections.push(CollectionInfo { name, documents: count, bytes });
    }
    Ok(collections)
}

/// The size of the database in a workspace.
pub(super) fn file_bytes(path: &Path) -> Result<u64, Error> {
    Ok(fs::metadata(path.join(database::FILE)).map_err(unusable)?.len())
}
