//! The state of one run: the data of its Wasmtime `Store`, its memory, its standard output, its checkouts, and its
//! outcome.

mod checkouts;
mod exception;
mod files;
mod functions;
mod host;
mod memory;
pub(crate) mod outcome_of;
mod state;
mod stdio;
mod stream;

pub(crate) use checkouts::Polled;
use checkouts::{Checkouts, LeaseKeeper};
pub(crate) use files::Files;
pub(crate) use state::State;
pub(crate) use stream::Parts;
