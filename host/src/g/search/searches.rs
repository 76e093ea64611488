//! The search of a workspace for a program that is no script.

use std::time::{Duration, Instant};

use super::{Collection, Found, IndexInfo, Options};
use crate::{
    Error,
    workspace::{Session, Workspace},
};

/// Later than any call: who waits for another process gives up after 5 s by itself.
const NO_DEADLINE: Duration = Duration::from_secs(365 * 24 * 3_600);

/// What scripts have in `g.search`, for a program.
#[derive(Debug)]
pub struct Searches(Session);

impl Searches {
    /// The search of a workspace, which is opened at the first call.
    pub fn of(workspace: &Workspace) -> Self {
        Self(workspace.session(Instant::now() + NO_DEADLINE, Box::new(|_| {})))
    }

    /// Makes the index anew from the documents, and gives their number.
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
        self.0.call(super::collections_with_counts)
    }
}
