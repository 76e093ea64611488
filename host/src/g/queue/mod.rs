//! `g.queue`: the WIT interface, waiting for an item, and the client for programs.

mod client;
mod host;
mod wait;

pub use client::Queues;
