//! Documents and the keys of the orders, and how they are encoded.

use redb::{Error, StorageError};

use crate::data::{checksum::checksum, time::iso};

/// A document with the times of its writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The key within the collection.
    pub key: String,
    /// The value, as JSON.
    pub data: String,
    /// When the document was created: when it was stored under a key that had no document, or the time that an import
    /// set.
    pub created: Moment,
    /// When it was last stored.
    pub updated: Moment,
}

/// The moment of a write: its time, and a sequence number that orders writes of the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Milliseconds since 1970.
    pub time: u64,
    /// Increases with each document that is stored in `g.store`.
    pub sequence: u64,
}

/// The times of an imported document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Milliseconds since 1970. If `None`, an existing document keeps its creation time, and a new one gets the time of
    /// its update.
    pub created: Option<u64>,
    /// Milliseconds since 1970; `None` for the current time.
    pub updated: Option<u64>,
}

impl Moment {
    const BYTES: usize = 16;

    /// Returns the time as `Date.prototype.toISOString` prints it.
    pub fn to_iso(self) -> String {
        iso(self.time)
    }

    /// Returns bytes that sort as moments do.
    fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.time.to_be_bytes());
        bytes[8..].copy_from_slice(&self.sequence.to_be_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (time, rest) = bytes.split_first_chunk()?;
        let sequence = rest.first_chunk()?;
        Some(Self { time: u64::from_be_bytes(*time), sequence: u64::from_be_bytes(*sequence) })
    }
}

const CHECKSUM_BYTES: usize = 4;

/// The size of the header of a document's row: a checksum (of the row's key and the rest of the value), and the moments
/// of creation and last update. The JSON follows.
pub(super) const ROW_HEAD: usize = CHECKSUM_BYTES + 2 * Moment::BYTES;

/// Writes a document to `row`, whose length is that of the header and the JSON.
pub(super) fn write_row(row: &mut [u8], document_key: &[u8], created: Moment, updated: Moment, data: &str) {
    let (sum, rest) = row.split_at_mut(CHECKSUM_BYTES);
    rest[..Moment::BYTES].copy_from_slice(&created.to_bytes());
    rest[Moment::BYTES..2 * Moment::BYTES].copy_from_slice(&updated.to_bytes());
    rest[2 * Moment::BYTES..].copy_from_slice(data.as_bytes());
    sum.copy_from_slice(&checksum(&[document_key, rest]).to_be_bytes());
}

/// Returns when a document was created and updated. Fails if the checksum is wrong.
pub(super) fn moments(document_key: &[u8], row: &[u8]) -> Result<(Moment, Moment), Error> {
    let moments = || {
        let (sum, rest) = row.split_first_chunk()?;
        if checksum(&[document_key, rest]) != u32::from_be_bytes(*sum) {
            return None;
        }
        Some((Moment::from_bytes(rest)?, Moment::from_bytes(rest.get(Moment::BYTES..)?)?))
    };
    moments().ok_or_else(damaged)
}

/// Returns the document of a row.
pub(super) fn document(document_key: &[u8], row: &[u8]) -> Result<Document, Error> {
    let (created, updated) = moments(document_key, row)?;
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|_| damaged());
    Ok(Document { key: text(key_of(document_key)?)?, data: text(&row[ROW_HEAD..])?, created, updated })
}

/// Writes the key of a document's row to `buffer`: the number of the collection, then the key of the document.
pub(super) fn document_key(collection: u64, key: &[u8], buffer: &mut Vec<u8>) {
    buffer.clear();
    buffer.extend_from_slice(&collection.to_be_bytes());
    buffer.extend_from_slice(key);
}

/// Fails if a row that was found in the range of a collection does not belong to it, which can happen in a corrupt
/// table.
pub(super) fn in_collection(collection: u64, key: &[u8]) -> Result<(), Error> {
    if key.starts_with(&collection.to_be_bytes()) { Ok(()) } else { Err(damaged()) }
}

/// Returns the key of a document, from the key of its row.
pub(super) fn key_of(document_key: &[u8]) -> Result<&[u8], Error> {
    document_key.get(8..).ok_or_else(damaged)
}

/// A key in the order by creation or by last update: the number of the collection, then the moment.
pub(super) type OrderKey = [u8; 8 + Moment::BYTES];

pub(super) fn order_key(collection: u64, moment: Moment) -> OrderKey {
    let mut bytes = [0; 8 + Moment::BYTES];
    bytes[..8].copy_from_slice(&collection.to_be_bytes());
    bytes[8..].copy_from_slice(&moment.to_bytes());
    bytes
}

/// Returns the smallest order key of a collection. That of the next collection number is the exclusive end of its keys.
pub(super) fn first_order_key(collection: u64) -> OrderKey {
    order_key(collection, Moment { time: 0, sequence: 0 })
}

pub(super) fn damaged() -> Error {
    StorageError::Corrupted("a row of the store".into()).into()
}
