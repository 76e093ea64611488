//! Items, and how their rows are encoded.

use redb::{Error, StorageError};

use crate::data::checksum::checksum;

/// An item of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Identifies the item until it is aborted, expires or is retried, which gives it a new id.
    pub id: u64,
    /// The value, as JSON.
    pub data: String,
    /// 0 is low, 1 normal, 2 high.
    pub priority: u8,
    /// How many times it was checked out since it was enqueued, or last sent back from the dead letters.
    pub attempts: u32,
    /// How many times it is retried after its first attempt has failed.
    pub max_retries: u32,
    /// When it was enqueued. All times are milliseconds since 1970.
    pub enqueued: u64,
    /// When it was last checked out.
    pub last_attempt: Option<u64>,
    /// Why the last attempt failed.
    pub last_error: Option<String>,
    /// When it became a dead letter, if it is one.
    pub dead_lettered: Option<u64>,
}

/// The key of a pending item: the number of its queue, 2 minus its priority, and its id. This is the order of
/// `dequeue`.
pub(super) type PendingKey = (u64, u8, u64);

/// The row of an item; it is the same in every state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) priority: u8,
    pub(super) attempts: u32,
    pub(super) max_retries: u32,
    pub(super) enqueued: u64,
    pub(super) last_attempt: Option<u64>,
    pub(super) last_error: Option<String>,
    pub(super) body: Body,
}

/// The JSON of an item. Large JSON has its own row, which stays in place while the item moves from state to state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    Here(String),
    /// The key in the table of bodies.
    There(u64),
}

/// An item that is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Checkout {
    /// The queue's number.
    pub(super) queue: u64,
    /// How long the lease is, in milliseconds.
    pub(super) lease: u32,
    pub(super) expires: u64,
    pub(super) row: Row,
}

/// The encoding of `None`, as a time and as the length of a text.
const NO_TIME: u64 = u64::MAX;
const NO_TEXT: u32 = u32::MAX;

/// Returns the checksum of a row and its key, which consists of these numbers.
pub(super) fn sum_of(key: &[u64], row: &[u8]) -> u32 {
    let mut bytes = [0; 3 * 8];
    let places = bytes.chunks_exact_mut(8).zip(key);
    places.for_each(|(place, number)| place.copy_from_slice(&number.to_be_bytes()));
    checksum(&[&bytes[..8 * key.len().min(3)], row])
}

/// Returns a row with its checksum in front.
pub(super) fn sealed(key: &[u64], write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(96);
    bytes.extend([0; 4]);
    write(&mut bytes);
    let sum = sum_of(key, &bytes[4..]);
    bytes[..4].copy_from_slice(&sum.to_be_bytes());
    bytes
}

/// Returns the row without its checksum. Fails if the checksum is wrong.
pub(super) fn unsealed<'a>(key: &[u64], bytes: &'a [u8]) -> Result<&'a [u8], Error> {
    let (sum, row) = bytes.split_first_chunk().ok_or_else(damaged)?;
    if sum_of(key, row) == u32::from_be_bytes(*sum) { Ok(row) } else { Err(damaged()) }
}

/// Returns the text of a row that consists of a checksum and a text.
pub(super) fn text_of<'a>(key: &[u64], bytes: &'a [u8]) -> Result<&'a str, Error> {
    str::from_utf8(unsealed(key, bytes)?).map_err(|_| damaged())
}

impl Row {
    pub(super) fn to_bytes(&self, (queue, rank, id): PendingKey) -> Vec<u8> {
        sealed(&[queue, rank.into(), id], |bytes| self.write(bytes))
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.push(self.priority);
        bytes.extend(self.attempts.to_be_bytes());
        bytes.extend(self.max_retries.to_be_bytes());
        bytes.extend(self.enqueued.to_be_bytes());
        bytes.extend(self.last_attempt.unwrap_or(NO_TIME).to_be_bytes());
        let error = self.last_error.as_deref();
        // The error was truncated to 8 KiB (`ERROR_BYTES`), so its length fits.
        bytes.extend(error.map_or(NO_TEXT, |error| error.len() as u32).to_be_bytes());
        bytes.extend(error.unwrap_or_default().as_bytes());
        match &self.body {
            Body::Here(json) => {
                bytes.push(0);
                bytes.extend(json.as_bytes());
            }
            Body::There(number) => {
                bytes.push(1);
                bytes.extend(number.to_be_bytes());
            }
        }
    }

    pub(super) fn from_bytes((queue, rank, id): PendingKey, bytes: &[u8]) -> Result<Self, Error> {
        Self::read(&mut Reader(unsealed(&[queue, rank.into(), id], bytes)?)).ok_or_else(damaged)
    }

    /// Reads a row that was found in the range of a queue's keys. Fails if its key belongs to another queue, which
    /// happens in a corrupt table.
    pub(super) fn of_queue(queue: u64, key: PendingKey, bytes: &[u8]) -> Result<Self, Error> {
        if key.0 == queue { Self::from_bytes(key, bytes) } else { Err(damaged()) }
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            priority: reader.byte()?,
            attempts: reader.u32()?,
            max_retries: reader.u32()?,
            enqueued: reader.u64()?,
            last_attempt: Some(reader.u64()?).filter(|time| *time != NO_TIME),
            last_error: match reader.u32()? {
                NO_TEXT => None,
                length => Some(reader.text(length as usize)?),
            },
            body: match reader.byte()? {
                0 => Body::Here(reader.text(reader.0.len())?),
                1 => Body::There(reader.u64()?),
                _ => return None,
            },
        })
    }
}

impl Checkout {
    pub(super) fn to_bytes(&self, id: u64) -> Vec<u8> {
        sealed(&[id], |bytes| {
            bytes.extend(self.queue.to_be_bytes());
            bytes.extend(self.lease.to_be_bytes());
            bytes.extend(self.expires.to_be_bytes());
            self.row.write(bytes);
        })
    }

    pub(super) fn from_bytes(id: u64, bytes: &[u8]) -> Result<Self, Error> {
        let read = |reader: &mut Reader<'_>| {
            let (queue, lease, expires) = (reader.u64()?, reader.u32()?, reader.u64()?);
            Some(Self { queue, lease, expires, row: Row::read(reader)? })
        };
        read(&mut Reader(unsealed(&[id], bytes)?)).ok_or_else(damaged)
    }
}

/// Encodes the row of a dead letter: when the item became one, and the item.
pub(super) fn dead_to_bytes((queue, id): (u64, u64), time: u64, row: &Row) -> Vec<u8> {
    sealed(&[queue, id], |bytes| {
        bytes.extend(time.to_be_bytes());
        row.write(bytes);
    })
}

pub(super) fn dead_from_bytes((queue, id): (u64, u64), bytes: &[u8]) -> Result<(u64, Row), Error> {
    let read = |reader: &mut Reader<'_>| Some((reader.u64()?, Row::read(reader)?));
    read(&mut Reader(unsealed(&[queue, id], bytes)?)).ok_or_else(damaged)
}

/// Reads a dead letter that was found in the range of a queue's keys. Fails as `Row::of_queue` does.
pub(super) fn dead_of_queue(queue: u64, key: (u64, u64), bytes: &[u8]) -> Result<(u64, Row), Error> {
    if key.0 == queue { dead_from_bytes(key, bytes) } else { Err(damaged()) }
}

/// The rest of a row that is still to be read.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_be_bytes)
    }

    fn text(&mut self, length: usize) -> Option<String> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(taken.to_vec()).ok()
    }
}

pub(super) fn damaged() -> Error {
    StorageError::Corrupted("a row of the queue".into()).into()
}
