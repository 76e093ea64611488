//! What belongs to one run: the data of its store, its memory, its console, its checkouts, and how it ended.

pub(crate) mod ended;
mod exception;
mod holding;
mod host;
mod memory;
mod state;
mod stdio;
mod stream;

pub(crate) use holding::Holding;
pub(crate) use state::State;
pub(crate) use stream::Parts;
