//! How documents and their places in an order are laid out as bytes.

use std::time::{Duration, UNIX_EPOCH};

/// A document and when it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) key: String,
    /// JSON.
    pub(crate) data: String,
    pub(crate) created: Moment,
    pub(crate) updated: Moment,
}

/// When something was written: the time, and the order among what was written at that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    /// Milliseconds since 1970.
    pub(crate) time: u64,
    /// Grows with each write of the workspace.
    pub(crate) sequence: u64,
}

impl Moment {
    const BYTES: usize = 16;

    /// As `Date.prototype.toISOString` prints it.
    pub(crate) fn to_iso(self) -> String {
        humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(self.time)).to_string()
    }

    /// In the order of moments.
    fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.time.to_be_bytes());
        bytes[8..].copy_from_slice(&self.sequence.to_be_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u64::from_be_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        Some(Self { time: number(0)?, sequence: number(8)? })
    }
}

/// A row of the documents: both moments, then the JSON.
pub(super) fn row(created: Moment, updated: Moment, data: &str, buffer: &mut Vec<u8>) {
    buffer.clear();
    buffer.extend_from_slice(&created.to_bytes());
    buffer.extend_from_slice(&updated.to_bytes());
    buffer.extend_from_slice(data.as_bytes());
}

/// The moments of a row. None for what is no row.
pub(super) fn moments(row: &[u8]) -> Option<(Moment, Moment)> {
    Some((Moment::from_bytes(row)?, Moment::from_bytes(row.get(Moment::BYTES..)?)?))
}

/// The document of a row.
pub(super) fn document(key: &[u8], row: &[u8]) -> Option<Document> {
    let (created, updated) = moments(row)?;
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(Into::into);
    Some(Document { key: text(key)?, data: text(row.get(2 * Moment::BYTES..)?)?, created, updated })
}

/// The key of a document's row: its collection's number, then its key.
pub(super) fn document_key(collection: u64, key: &[u8], buffer: &mut Vec<u8>) {
    buffer.clear();
    buffer.extend_from_slice(&collection.to_be_bytes());
    buffer.extend_from_slice(key);
}

/// The key of a place in an order.
pub(super) fn order_key(collection: u64, moment: Moment) -> [u8; 8 + Moment::BYTES] {
    let mut bytes = [0; 8 + Moment::BYTES];
    bytes[..8].copy_from_slice(&collection.to_be_bytes());
    bytes[8..].copy_from_slice(&moment.to_bytes());
    bytes
}
