//! `g.store`: the WIT interface, the search of a collection, and the client for programs.

mod client;
mod host;
mod search;

pub use client::Documents;
use search::search;
