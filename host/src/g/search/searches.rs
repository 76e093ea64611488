//! The search of a workspace for a program that is no script.

use std::time::{Duration, Instant};

use super::{Found, Options};
use crate::{
    Error,
    index::Size,
    workspace::{Session, Workspace},
};

/// Later than any call: who waits for another process gives up after 5 s by itself.
const NO_DEADLINE: Duration = Duration::from_secs(365 * 24 * 3_600);

/// What scripts have in `g.search`, for a program.
pub struct Searches(Session);

impl Searches {
    /// The search of a workspace, which is opened at the first call.
    pub fn of(workspace: &Workspace) -> Self {
        Self(workspace.session(Instant::now() + NO_DEADLINE, Box::new(|_| {})))
    }

    /// Brings the index up to date, and tells how large it is. `progress` is told of documents as they are taken in.
    pub fn update(&mut self, progress: &mut dyn FnMut(u64)) -> Result<Size, Error> {
        super::bring_up(&mut self.0, false, progress)
    }

    /// Makes the index anew from the documents.
    pub fn rebuild(&mut self, progress: &mut dyn FnMut(u64)) -> Result<Size, Error> {
        super::bring_up(&mut self.0, true, progress)
    }

    /// The documents that a query finds, best first.
    pub fn query(&mut self, query: &str, options: &Options) -> Result<Vec<Found>, Error> {
        super::query(&mut self.0, query, options)
    }

    /// The number of documents.
    pub fn count(&mut self) -> Result<u64, Error> {
        self.0.read(|tables| super::count(tables, None))
    }
}
