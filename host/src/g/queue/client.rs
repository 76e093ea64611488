//! The queues of a workspace, for programs.

use std::time::Instant;

use crate::{
    Error,
    data::queue::{self, EnqueueOptions, Item, Overview, Page},
    workspace::{Session, Workspace},
};

/// How many dead letters one call sends back.
const STEP: u64 = 1_000;

/// The management of queues, for programs. Other calls see a change when the call returns; it is on disk within 50 ms.
#[derive(Debug)]
pub struct Queues(Session);

impl Queues {
    /// The queues of a workspace. It is opened at the first call.
    pub fn of(workspace: &Workspace) -> Self {
        Self(workspace.session_of_program())
    }

    /// The same with a deadline: calls that wait for another process longer fail with `BUSY`.
    pub fn until(workspace: &Workspace, deadline: Instant) -> Self {
        Self(workspace.session_of_program_until(deadline))
    }

    /// Every queue, ascending by name.
    pub fn overview(&mut self) -> Result<Vec<Overview>, Error> {
        self.0.call(queue::overview)
    }

    /// Adds an item of JSON to a queue.
    pub fn enqueue(&mut self, name: &str, data: &str, options: EnqueueOptions) -> Result<(), Error> {
        self.0.call(|tables| queue::enqueue(tables, name, data, options))
    }

    /// A page of the pending items, in the order in which they are handed out.
    pub fn list(&mut self, name: &str, page: Page) -> Result<Vec<Item>, Error> {
        self.0.call(|tables| queue::list(tables, name, page))
    }

    /// A page of the dead letters, oldest first.
    pub fn dead_letters(&mut self, name: &str, page: Page) -> Result<Vec<Item>, Error> {
        self.0.call(|tables| queue::dead_letter(tables, name, page))
    }

    /// Sends a dead letter back to pending.
    pub fn retry(&mut self, name: &str, dead_letter: u64) -> Result<(), Error> {
        self.0.call(|tables| queue::retry(tables, name, dead_letter))
    }

    /// Sends at most `most` of the oldest dead letters back to pending, and returns their number. Other calls are executed
    /// between its steps.
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

    /// Waits until all that was done is on disk. Fails when something was lost, and says how many calls.
    pub fn save(&mut self) -> Result<(), Error> {
        self.0.finish().map_err(Error::from)
    }
}
