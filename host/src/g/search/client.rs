//! The search of a workspace, for programs.

use super::{Found, IndexInfo, Options};
use crate::{
    DataLimits, Error,
    data::search::{self, Collection},
    workspace::{Session, Workspace},
};

/// The methods of `g.search`, for programs.
#[derive(Debug)]
pub struct Searches(Session);

impl Searches {
    /// The search of a workspace, which is opened at the first call.
    pub fn of(workspace: &Workspace) -> Self {
        Self(workspace.session_of_program())
    }

    /// Returns the same with other limits than the default ones.
    pub fn with_limits(self, limits: DataLimits) -> Self {
        Self(self.0.with_limits(limits))
    }

    /// Stores and indexes a document: a JSON object with `_key`, `_collection` and other fields.
    pub fn index(&mut self, fields: &str) -> Result<(), Error> {
        self.0.call(|tables| search::index(tables, fields))
    }

    /// Rebuilds the index from the documents, and returns their number.
    pub fn rebuild(&mut self) -> Result<u64, Error> {
        super::rebuild(&mut self.0)
    }

    /// What the index of `g.search` is like.
    pub fn info(&mut self) -> Result<IndexInfo, Error> {
        super::index_info(&mut self.0)
    }

    /// The documents that a query finds, best first.
    pub fn query(&mut self, query: &str, options: &Options) -> Result<Vec<Found>, Error> {
        super::query(&mut self.0, query, options)
    }

    /// The collections, by their names.
    pub fn collections(&mut self) -> Result<Vec<Collection>, Error> {
        self.0.call(search::collections_with_counts)
    }
}
