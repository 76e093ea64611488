//! The rows of a log, and how they are encoded. Every value begins with a checksum of the rest and of the row's key.

use std::hash::{BuildHasher, RandomState};

use redb::{Error, StorageError};

use crate::data::checksum::checksum;

// The first byte of a row's key is the kind of the row.

/// The state of the log.
pub(super) const STATE: u8 = b'a';
/// Collection → turn, and the key after which its documents still have to be read. These rows sort before those of
/// `CHANGED`, as `Update::index_collection` requires.
pub(super) const UNREAD: u8 = b'b';
/// Collection number → turn: the collection was cleared.
pub(super) const CLEARED: u8 = b'c';
/// Collection, 0, key → turn: the document was stored or deleted.
pub(super) const CHANGED: u8 = b'd';
/// Collection → nothing: it has been searched, so its changes are logged.
pub(super) const SEARCHED: u8 = b'e';

const SUM_BYTES: usize = 4;

/// An entry of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// The documents of the collection after this key still have to be read.
    Unread { collection: String, after: String },
    /// The collection that had this number was cleared.
    Cleared(u64),
    /// The document with this key was stored or deleted.
    Changed { collection: String, key: String },
}

/// How far an index has applied the log: all entries of this generation up to a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndexPosition {
    pub(crate) generation: u64,
    pub(crate) turn: u64,
}

/// The state of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// Whether no index can continue from this log, so no change is logged.
    pub(super) idle: bool,
    /// Identifies this log; an index with another generation is rebuilt.
    pub(super) generation: u64,
    /// The current turn, which increases whenever an update of the index begins.
    pub(super) turn: u64,
    /// The last turn of which entries were removed.
    pub(super) removed: u64,
    /// The number of rows, including this one.
    pub(super) rows: u64,
}

impl State {
    const NEW: Self = Self { idle: true, generation: 0, turn: 1, removed: 0, rows: 0 };

    pub(super) fn read(value: Option<&[u8]>, rows: u64) -> Result<Self, Error> {
        let Some(value) = value else { return if rows == 0 { Ok(Self::NEW) } else { Err(damaged()) } };
        let content = checked(&[STATE], value)?;
        let numbers: Vec<_> = content.chunks(8).map(number).collect::<Result<_, _>>()?;
        let [idle, generation, turn, removed, counted] = numbers[..] else { return Err(damaged()) };
        // A corrupt table may look like one with fewer rows.
        if counted != rows {
            return Err(damaged());
        }
        Ok(Self { idle: idle != 0, generation, turn, removed, rows })
    }

    pub(super) fn to_value(self) -> Vec<u8> {
        let numbers = [u64::from(self.idle), self.generation, self.turn, self.removed, self.rows];
        value(&[STATE], &numbers.map(u64::to_be_bytes).concat())
    }
}

/// Returns a random number, which identifies a new log.
pub(super) fn new_generation() -> u64 {
    RandomState::new().hash_one(STATE)
}

/// Returns the key of the row of this kind for a collection.
pub(super) fn collection_key(kind: u8, collection: &str) -> Vec<u8> {
    [&[kind], collection.as_bytes()].concat()
}

/// Returns the key of the row for a cleared collection.
pub(super) fn cleared_key(number: u64) -> Vec<u8> {
    [&[CLEARED][..], &number.to_be_bytes()].concat()
}

/// Returns the value of the row with this key.
pub(super) fn value(key: &[u8], content: &[u8]) -> Vec<u8> {
    [&checksum(&[key, content]).to_be_bytes()[..], content].concat()
}

/// Returns the value of a row that was logged in a turn.
pub(super) fn logged(key: &[u8], turn: u64) -> [u8; SUM_BYTES + 8] {
    let (mut value, turn) = ([0; SUM_BYTES + 8], turn.to_be_bytes());
    value[..SUM_BYTES].copy_from_slice(&checksum(&[key, &turn]).to_be_bytes());
    value[SUM_BYTES..].copy_from_slice(&turn);
    value
}

/// Returns the value of an `UNREAD` row: the turn, and the key after which the collection still has to be read.
pub(super) fn unread(key: &[u8], turn: u64, after: &str) -> Vec<u8> {
    value(key, &[&turn.to_be_bytes(), after.as_bytes()].concat())
}

/// Returns the turn in which a row was logged.
pub(super) fn turn_of(key: &[u8], value: &[u8]) -> Result<u64, Error> {
    Ok(turn_and_rest(checked(key, value)?)?.0)
}

fn turn_and_rest(content: &[u8]) -> Result<(u64, &[u8]), Error> {
    let (turn, rest) = content.split_first_chunk().ok_or_else(damaged)?;
    Ok((u64::from_be_bytes(*turn), rest))
}

/// Returns the content of a value. Fails if the checksum is wrong.
fn checked<'v>(key: &[u8], value: &'v [u8]) -> Result<&'v [u8], Error> {
    let (sum, content) = value.split_first_chunk().ok_or_else(damaged)?;
    if u32::from_be_bytes(*sum) == checksum(&[key, content]) { Ok(content) } else { Err(damaged()) }
}

/// Reads an entry.
pub(super) fn entry(key: &[u8], value: &[u8]) -> Result<Entry, Error> {
    let content = checked(key, value)?;
    let (kind, name) = key.split_first().ok_or_else(damaged)?;
    Ok(match *kind {
        UNREAD => Entry::Unread { collection: text(name)?, after: text(turn_and_rest(content)?.1)? },
        CLEARED => Entry::Cleared(number(name)?),
        CHANGED => {
            let end = name.iter().position(|byte| *byte == 0).ok_or_else(damaged)?;
            Entry::Changed { collection: text(&name[..end])?, key: text(&name[end + 1..])? }
        }
        _ => return Err(damaged()),
    })
}

/// Returns the collection of a `SEARCHED` row.
pub(super) fn searched(key: &[u8], value: &[u8]) -> Result<String, Error> {
    checked(key, value)?;
    text(key.get(1..).unwrap_or_default())
}

fn number(bytes: &[u8]) -> Result<u64, Error> {
    bytes.try_into().map(u64::from_be_bytes).map_err(|_| damaged())
}

fn text(bytes: &[u8]) -> Result<String, Error> {
    String::from_utf8(bytes.to_vec()).map_err(|_| damaged())
}

pub(super) fn damaged() -> Error {
    StorageError::Corrupted("a row of an index's log".into()).into()
}
