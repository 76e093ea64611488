//! Values of BSON as text, in the format of `documentdb.wit`.

mod extended;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub(super) use extended::{id_text, json};
pub(super) use read::{Expected, Memory, documents, read};
pub(super) use write::{Out, document, value};

/// The largest document, in bytes.
pub(super) const MAX_DOCUMENT: usize = 16 << 20;
/// The deepest document that a script may send. MongoDB has the same limit.
const MAX_DEPTH: usize = 100;
/// The deepest document of a server that is read. A server's results may be deeper than its stored documents.
const MAX_READ_DEPTH: usize = 200;
/// The furthest date of JavaScript from 1970, in milliseconds.
const MAX_DATE: u64 = 8_640_000_000_000_000;
