//! The documents of a workspace, for programs.

use crate::{
    DataLimits, Error,
    data::store::{self, Document, ListOptions, SearchOptions, Times},
    workspace::{Session, Workspace},
};

/// The methods of `g.store`, for programs. A change is visible to other calls when the call returns; it is on disk
/// within 50 ms.
#[derive(Debug)]
pub struct Documents(Session);

impl Documents {
    /// Returns the documents of a workspace, which the first call opens.
    pub fn of(workspace: &Workspace) -> Self {
        Self(workspace.session_of_program())
    }

    /// Returns the same with other limits than the default ones.
    pub fn with_limits(self, limits: DataLimits) -> Self {
        Self(self.0.with_limits(limits))
    }

    /// Stores JSON under a key; an existing document keeps its creation time.
    pub fn put(&mut self, collection: &str, key: &str, data: &str) -> Result<(), Error> {
        self.0.call(|tables| store::put(tables, collection, key, data))
    }

    /// Stores JSON under a key with given times, for an import. `put` determines a time that is `None`.
    pub fn put_at(&mut self, collection: &str, key: &str, data: &str, times: Times) -> Result<(), Error> {
        self.0.call(|tables| store::put_at(tables, collection, key, data, times))
    }

    /// Returns the document under a key.
    pub fn get(&mut self, collection: &str, key: &str) -> Result<Option<Document>, Error> {
        self.0.call(|tables| store::get(tables, collection, key))
    }

    /// Returns a page of a collection; it is empty if the collection does not exist.
    pub fn list(&mut self, collection: &str, options: &ListOptions) -> Result<Vec<Document>, Error> {
        let time = self.0.time_left();
        self.0.call(|tables| store::list(tables, collection, options, &|| time.check_may_continue(store::out_of_time)))
    }

    /// Returns a page of the documents of a collection that a query finds; it is empty if the collection does not exist.
    pub fn search(&mut self, collection: &str, query: &str, options: &SearchOptions) -> Result<Vec<Document>, Error> {
        super::search(&mut self.0, collection, query, options)
    }

    /// Rebuilds the index of the collections that were searched, and returns the number of their documents.
    pub fn rebuild_index(&mut self) -> Result<u64, Error> {
        super::search::rebuild(&mut self.0)
    }

    /// Deletes the document under a key. Returns whether it existed.
    pub fn delete(&mut self, collection: &str, key: &str) -> Result<bool, Error> {
        self.0.call(|tables| store::delete(tables, collection, key))
    }

    /// Deletes all documents of a collection.
    pub fn clear(&mut self, collection: &str) -> Result<(), Error> {
        self.0.call(|tables| store::clear(tables, collection))
    }

    /// Returns the number of documents in a collection; 0 if the collection does not exist.
    pub fn count(&mut self, collection: &str) -> Result<u64, Error> {
        self.0.call(|tables| store::count(tables, collection))
    }

    /// Returns the first collection after a name in the order of their bytes; after the empty name, the first of all.
    pub fn next_collection(&mut self, after: &str) -> Result<Option<String>, Error> {
        self.0.call(|tables| store::next_collection(tables, after))
    }

    /// Returns one step of the documents after a key, in the order of their keys; after the empty key, the first step.
    /// The step is empty at the end. A document that changes between two steps is returned as it is when its step is
    /// read.
    pub fn step(&mut self, collection: &str, after: &str) -> Result<Vec<Document>, Error> {
        self.0.call(|tables| store::step(tables, collection, after))
    }

    /// Returns the number of calls that made a change and are on disk.
    pub fn saved(&self) -> u64 {
        self.0.saved()
    }

    /// Waits until all changes are on disk. If changes were lost, the error contains the number of lost calls.
    pub fn save(&mut self) -> Result<(), Error> {
        self.0.finish().map_err(Error::from)
    }
}
