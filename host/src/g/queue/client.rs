//! The queues of a workspace, for programs.

use std::time::Instant;

use crate::{
    DataLimits, Error,
    data::queue::{self, EnqueueOptions, Item, Overview, Page},
    workspace::{Session, Workspace},
};

/// The number of dead letters that one step sends back.
const STEP: u64 = 1_000;

/// The management of queues, for programs. A change is visible to other calls when the call returns; it is on disk
/// within 50 ms.
#[derive(Debug)]
pub struct Queues(Session);

impl Queues {
    /// Returns the queues of a workspace, which the first call opens.
    pub fn of(workspace: &Workspace) -> Self {
        Self(workspace.session_of_program())
    }

    /// As `of`, with a deadline: a call that still waits for another process then fails with `BUSY`.
    pub fn until(workspace: &Workspace, deadline: Instant) -> Self {
        Self(workspace.session_of_program_until(deadline))
    }

    /// Returns the same with other limits than the default ones.
    pub fn with_limits(self, limits: DataLimits) -> Self {
        Self(self.0.with_limits(limits))
    }

    /// Returns the overviews of all queues, ascending by name.
    pub fn overview(&mut self) -> Result<Vec<Overview>, Error> {
        self.0.call_after_expiry(queue::overview)
    }

    /// Adds an item of JSON to a queue.
    pub fn enqueue(&mut self, name: &str, data: &str, options: EnqueueOptions) -> Result<(), Error> {
        self.0.call(|tables| queue::enqueue(tables, name, data, options))
    }

    /// Returns a page of the pending items, in the order of `dequeue`.
    pub fn list(&mut self, name: &str, page: Page) -> Result<Vec<Item>, Error> {
        self.0.call_after_expiry(|tables| queue::list(tables, name, page))
    }

    /// Returns a page of the dead letters, oldest first.
    pub fn dead_letters(&mut self, name: &str, page: Page) -> Result<Vec<Item>, Error> {
        self.0.call_after_expiry(|tables| queue::dead_letter(tables, name, page))
    }

    /// Sends a dead letter back to pending.
    pub fn retry(&mut self, name: &str, dead_letter: u64) -> Result<(), Error> {
        self.0.call(|tables| queue::retry(tables, name, dead_letter))
    }

    /// Sends at most `most` of the oldest dead letters back to pending, and returns their number. Other calls are
    /// executed between its steps.
    pub fn retry_oldest(&mut self, name: &str, most: u64) -> Result<u64, Error> {
        let mut retried = 0;
        while retried < most {
            let step = (most - retried).min(STEP) as usize;
            match self.0.call(|tables| queue::retry_oldest(tables, name, step))? {
                0 => break,
                more => retried += more,
            }
        }
        Ok(retried)
    }

    /// Deletes all items of a queue.
    pub fn clear(&mut self, name: &str) -> Result<(), Error> {
        self.0.call(|tables| queue::clear(tables, name))
    }

    /// Waits until all changes are on disk. If changes were lost, the error contains the number of lost calls.
    pub fn save(&mut self) -> Result<(), Error> {
        self.0.finish().map_err(Error::from)
    }
}
