//! The documents that an index is derived from.

use redb::Error;

use super::{Tables, log::Log};

/// The namespaces that have an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexedNamespace {
    Store,
    Search,
}

/// The number of a collection, and the JSON of a document in it.
pub(crate) type Numbered = (u64, String);

/// One step of reading a collection: keys and JSON of some documents.
pub(crate) struct Step {
    /// The number of the collection.
    pub(crate) number: u64,
    pub(crate) documents: Vec<(String, String)>,
}

/// The tables of a namespace that has an index. Every change of a document is logged in the transaction that makes it,
/// as long as the log is not idle.
pub(crate) trait Source<'t> {
    /// Returns the log: the changes that the index has not applied yet.
    fn log(&mut self) -> &mut Log<'t>;

    /// Returns a document with the number of its collection, if it exists.
    fn document(&mut self, collection: &str, key: &str) -> Result<Option<Numbered>, Error>;

    /// Returns the documents of a collection after a key, in the order of their keys; as many as one call may read.
    /// `None` if the collection does not exist.
    fn step(&mut self, collection: &str, after: &str) -> Result<Option<Step>, Error>;

    /// Returns the collections whose documents are indexed.
    fn collections(&self) -> Result<Vec<String>, Error>;

    /// Returns the number of documents in a collection.
    fn count(&mut self, collection: &str) -> Result<u64, Error>;
}

impl<'t> Tables<'t> {
    /// Returns the tables of a namespace that has an index.
    pub(crate) fn source(&mut self, namespace: IndexedNamespace) -> &mut dyn Source<'t> {
        match namespace {
            IndexedNamespace::Store => &mut self.store,
            IndexedNamespace::Search => &mut self.search,
        }
    }
}
