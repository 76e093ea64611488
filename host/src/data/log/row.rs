//! How the rows of a log are laid out as bytes. Every value begins with a checksum of the rest and the row's name.

use std::hash::{BuildHasher, RandomState};

use redb::{Error, StorageError};

use crate::data::checksum::checksum;

/// The first byte of a row's name says what the row is.
pub(super) const STATE: u8 = b'a';
/// Collection → turn, and the key after which its documents are still to be read. These rows sort before those of
/// `CHANGED`, as `Update::index_collection` requires.
pub(super) const UNREAD: u8 = b'b';
/// Collection number → turn: all documents with it are gone.
pub(super) const CLEARED: u8 = b'c';
/// Collection, 0, key → turn: the document was stored or deleted.
pub(super) const CHANGED: u8 = b'd';
/// Collection → nothing: it is searched, so its changes count.
pub(super) const SEARCHED: u8 = b'e';

const SUM_BYTES: usize = 4;

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// The documents of the collection after this key are still to be read.
    Unread { collection: String, after: String },
    /// All documents of the collection that had this number are gone.
    Cleared(u64),
    /// The document with this name was stored or deleted.
    Changed { collection: String, key: String },
}

/// How far an index has applied the log: all entries of this generation up to a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndexPosition {
    pub(crate) generation: u64,
    pub(crate) turn: u64,
}

/// What a log says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// No index can be continued from this log, so nothing is logged.
    pub(super) idle: bool,
    /// Identifies this log; an index with another generation is rebuilt.
    pub(super) generation: u64,
    /// The current turn: counts how often an update of the index has begun.
    pub(super) turn: u64,
    /// The last turn of which entries were removed.
    pub(super) removed: u64,
    /// How many rows there are, this one among them.
    pub(super) rows: u64,
}

impl State {
    const NEW: Self = Self { idle: true, generation: 0, turn: 1, removed: 0, rows: 0 };

    pub(super) fn read(value: Option<&[u8]>, rows: u64) -> Result<Self, Error> {
        let Some(value) = value else { return if rows == 0 { Ok(Self::NEW) } else { Err(damaged()) } };
        let content = checked(&[STATE], value)?;
        let numbers: Vec<_> = content.chunks(8).map(number).collect::<Result<_, _>>()?;
        let [idle, generation, turn, removed, counted] = numbers[..] else { return Err(damaged()) };
        // A damaged table may look like one with fewer rows.
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

pub(super) fn named(kind: u8, name: &str) -> Vec<u8> {
    [&[kind], name.as_bytes()].concat()
}

pub(super) fn numbered(number: u64) -> Vec<u8> {
    [&[CLEARED][..], &number.to_be_bytes()].concat()
}

/// The value of a row with this name.
pub(super) fn value(row: &[u8], content: &[u8]) -> Vec<u8> {
    [&checksum(&[row, content]).to_be_bytes()[..], content].concat()
}

/// The value of a row that was logged in a turn.
pub(super) fn logged(row: &[u8], turn: u64) -> [u8; SUM_BYTES + 8] {
    let (mut value, turn) = ([0; SUM_BYTES + 8], turn.to_be_bytes());
    value[..SUM_BYTES].copy_from_slice(&checksum(&[row, &turn]).to_be_bytes());
    value[SUM_BYTES..].copy_from_slice(&turn);
    value
}

/// The value of a collection's row that says what of it is still to be read.
pub(super) fn unread(row: &[u8], turn: u64, after: &str) -> Vec<u8> {
    value(row, &[&turn.to_be_bytes(), after.as_bytes()].concat())
}

/// The turn that a row was logged in.
pub(super) fn turn_of(row: &[u8], value: &[u8]) -> Result<u64, Error> {
    Ok(turn_and_rest(checked(row, value)?)?.0)
}

fn turn_and_rest(content: &[u8]) -> Result<(u64, &[u8]), Error> {
    let (turn, rest) = content.split_first_chunk().ok_or_else(damaged)?;
    Ok((u64::from_be_bytes(*turn), rest))
}

/// What a value says, if it is what was stored.
fn checked<'v>(row: &[u8], value: &'v [u8]) -> Result<&'v [u8], Error> {
    let (sum, content) = value.split_first_chunk().ok_or_else(damaged)?;
    if u32::from_be_bytes(*sum) == checksum(&[row, content]) { Ok(content) } else { Err(damaged()) }
}

pub(super) fn entry(row: &[u8], value: &[u8]) -> Result<Entry, Error> {
    let content = checked(row, value)?;
    let (kind, name) = row.split_first().ok_or_else(damaged)?;
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

/// The collection of a row that says that it is searched.
pub(super) fn searched(row: &[u8], value: &[u8]) -> Result<String, Error> {
    checked(row, value)?;
    text(row.get(1..).unwrap_or_default())
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
