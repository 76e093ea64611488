//! How documents and their places in an order are laid out as bytes.

use redb::{Error, StorageError};

use crate::data::{checksum::checksum, time::iso};

/// A document and when it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The key within the collection.
    pub key: String,
    /// JSON.
    pub data: String,
    /// When a document was first stored under this key.
    pub created: Moment,
    /// When it was last stored.
    pub updated: Moment,
}

/// When something was written: the time, and the order among what was written at that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Milliseconds since 1970.
    pub time: u64,
    /// Grows with each write of the workspace.
    pub sequence: u64,
}

/// The times of a document that was written elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Milliseconds since 1970. Without it an existing document keeps its own, and a new one has that of its update.
    pub created: Option<u64>,
    /// Milliseconds since 1970; now without it.
    pub updated: Option<u64>,
}

impl Moment {
    const BYTES: usize = 16;

    /// As `Date.prototype.toISOString` prints it.
    pub fn to_iso(self) -> String {
        iso(self.time)
    }

    /// In the order of moments.
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

/// What stands before the JSON in a document's row: a checksum of all the rest and the row's key, when the document was
/// created, when it was updated.
pub(super) const ROW_HEAD: usize = CHECKSUM_BYTES + 2 * Moment::BYTES;

/// Fills a row, which has the size for it.
pub(super) fn write_row(row: &mut [u8], document_key: &[u8], created: Moment, updated: Moment, data: &str) {
    let (sum, rest) = row.split_at_mut(CHECKSUM_BYTES);
    rest[..Moment::BYTES].copy_from_slice(&created.to_bytes());
    rest[Moment::BYTES..2 * Moment::BYTES].copy_from_slice(&updated.to_bytes());
    rest[2 * Moment::BYTES..].copy_from_slice(data.as_bytes());
    sum.copy_from_slice(&checksum(&[document_key, rest]).to_be_bytes());
}

/// When a document was created and updated.
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

/// The document of a row.
pub(super) fn document(document_key: &[u8], row: &[u8]) -> Result<Document, Error> {
    let (created, updated) = moments(document_key, row)?;
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|_| damaged());
    Ok(Document { key: text(key_of(document_key)?)?, data: text(&row[ROW_HEAD..])?, created, updated })
}

/// The key of a document's row: its collection's number, then its own.
pub(super) fn document_key(collection: u64, key: &[u8], buffer: &mut Vec<u8>) {
    buffer.clear();
    buffer.extend_from_slice(&collection.to_be_bytes());
    buffer.extend_from_slice(key);
}

/// Refuses the key of a row that was found among a collection's: in a damaged table that may be another's.
pub(super) fn in_collection(collection: u64, key: &[u8]) -> Result<(), Error> {
    if key.starts_with(&collection.to_be_bytes()) { Ok(()) } else { Err(damaged()) }
}

/// The key in the row of a document.
pub(super) fn key_of(document_key: &[u8]) -> Result<&[u8], Error> {
    document_key.get(8..).ok_or_else(damaged)
}

/// A place in an order: the collection's number, then the moment.
pub(super) type Place = [u8; 8 + Moment::BYTES];

pub(super) fn place(collection: u64, moment: Moment) -> Place {
    let mut bytes = [0; 8 + Moment::BYTES];
    bytes[..8].copy_from_slice(&collection.to_be_bytes());
    bytes[8..].copy_from_slice(&moment.to_bytes());
    bytes
}

/// The first place of a collection. That of the next one is its end.
pub(super) fn first_place(collection: u64) -> Place {
    place(collection, Moment { time: 0, sequence: 0 })
}

pub(super) fn damaged() -> Error {
    StorageError::Corrupted("a row of the store".into()).into()
}
