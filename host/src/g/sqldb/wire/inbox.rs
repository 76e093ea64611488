//! Messages that have arrived and were not taken yet. The length of a message is checked before it is buffered.

use bytes::{Buf, Bytes, BytesMut};
use postgres_protocol::message::backend::{self, Message};

use super::error::{Error, ErrorResponse, Result};
use crate::gate::ByteCounter;

/// How much is read at once, in bytes. A row that is longer counts against the run's buffers.
const READ: usize = 32 << 10;
/// The largest read buffer that is kept when it is not needed, in bytes.
const LARGE: usize = 1 << 20;
/// The longest message that is neither a row nor a description, in bytes. A server sends a few hundred.
const SMALL: usize = 64 << 10;
/// The longest description, in bytes. 1,664 columns, the most that a row has, take 140 KiB; 65,535 parameters 256 KiB.
const DESCRIPTION: usize = 512 << 10;
/// How much of an error is kept, in bytes: code and message come first.
const ERROR: usize = 64 << 10;
/// A tag and a length.
const HEADER: usize = 5;

/// A message of the server.
pub(super) enum Received {
    Row(DataRow),
    CopyData(Bytes),
    Error(Box<ErrorResponse>),
    Other(Message),
}

/// How much of a message is kept.
enum Plan {
    /// It is read whole.
    Whole,
    /// So many bytes of its body are kept.
    Cut(usize),
    /// Nothing of it is kept.
    Skip,
}

/// The buffer that is read into.
#[derive(Default)]
pub(super) struct Inbox {
    bytes: BytesMut,
    /// How many of the next bytes are dropped.
    skip: usize,
    /// How much of the buffer is counted.
    counted: usize,
    /// The length of the message that has arrived in part.
    awaited: usize,
    /// Rows are dropped unread: their number does not matter, nor what is in them.
    pub(super) skips_rows: bool,
}

impl Inbox {
    /// For an answer that nothing is counted of yet.
    pub(super) fn begin(&mut self) {
        self.skips_rows = false;
        if self.counted > 0 {
            self.shrink(None);
        }
    }

    /// Returns the next message, if all of it has arrived. `counter` counts a long row; without a counter, long rows are errors.
    pub(super) fn next(&mut self, mut counter: Option<&mut ByteCounter>) -> Result<Option<Received>> {
        loop {
            if !self.pass_skipped() {
                return Ok(None);
            }
            let Some((tag, body)) = self.header()? else { return Ok(None) };
            match self.plan(tag, body)? {
                Plan::Skip => {
                    self.bytes.advance(HEADER);
                    self.skip = body;
                }
                Plan::Cut(kept) => {
                    if self.bytes.len() < HEADER + kept {
                        return Ok(None);
                    }
                    let message = self.bytes.split_to(HEADER + kept);
                    self.skip = body - kept;
                    return Ok(Some(Received::Error(Box::new(ErrorResponse::read(&message[HEADER..])))));
                }
                Plan::Whole => {
                    self.make_room(HEADER + body, counter.as_deref_mut())?;
                    if self.bytes.len() < HEADER + body {
                        self.awaited = HEADER + body;
                        return Ok(None);
                    }
                    self.awaited = 0;
                    let message = self.bytes.split_to(HEADER + body);
                    return read(tag, message).map(Some);
                }
            }
        }
    }

    /// Drops what has to be dropped; whether the next byte begins a message.
    fn pass_skipped(&mut self) -> bool {
        let passed = self.skip.min(self.bytes.len());
        self.bytes.advance(passed);
        self.skip -= passed;
        self.skip == 0
    }

    /// The tag of the next message, and the length of its body.
    fn header(&self) -> Result<Option<(u8, usize)>> {
        let Some(&[tag, a, b, c, d]) = self.bytes.first_chunk::<HEADER>() else { return Ok(None) };
        let length = i32::from_be_bytes([a, b, c, d]);
        let body = usize::try_from(length).ok().and_then(|length| length.checked_sub(HEADER - 1));
        body.map(|body| Some((tag, body))).ok_or_else(|| Error::protocol("the length of a message is negative"))
    }

    fn plan(&self, tag: u8, body: usize) -> Result<Plan> {
        let most = match tag {
            backend::NOTICE_RESPONSE_TAG | backend::NOTIFICATION_RESPONSE_TAG => return Ok(Plan::Skip),
            backend::DATA_ROW_TAG if self.skips_rows => return Ok(Plan::Skip),
            backend::ERROR_RESPONSE_TAG => return Ok(Plan::Cut(body.min(ERROR))),
            backend::DATA_ROW_TAG | backend::COPY_DATA_TAG => return Ok(Plan::Whole),
            backend::ROW_DESCRIPTION_TAG | backend::PARAMETER_DESCRIPTION_TAG => DESCRIPTION,
            _ => SMALL,
        };
        match body <= most {
            true => Ok(Plan::Whole),
            false => Err(Error::protocol(format!("a message has {body} bytes, the limit of its kind is {most}"))),
        }
    }

    /// Makes room for a message, and counts it when it is long.
    fn make_room(&mut self, length: usize, counter: Option<&mut ByteCounter>) -> Result<()> {
        let tag_counts = matches!(self.bytes.first(), Some(&(backend::DATA_ROW_TAG | backend::COPY_DATA_TAG)));
        if length > READ.max(self.counted) && tag_counts {
            let Some(counter) = counter else {
                return Err(Error::protocol(format!("a row has {length} bytes where the limit is {READ}")));
            };
            counter.grow(length - self.counted).map_err(Error::Limit)?;
            self.counted = length;
        }
        self.bytes.reserve(length.saturating_sub(self.bytes.len()));
        Ok(())
    }

    /// Where to read into, for the next message or more.
    pub(super) fn space(&mut self, counter: Option<&mut ByteCounter>) -> &mut BytesMut {
        if self.counted > LARGE && self.awaited <= READ {
            self.shrink(counter);
        }
        if self.bytes.capacity() - self.bytes.len() < READ / 4 {
            self.bytes.reserve(READ);
        }
        &mut self.bytes
    }

    /// Gives back what only a long message needed. None is being read.
    pub(super) fn shrink(&mut self, counter: Option<&mut ByteCounter>) {
        if let Some(counter) = counter {
            counter.shrink(std::mem::take(&mut self.counted));
        }
        self.counted = 0;
        self.bytes = match self.bytes.is_empty() {
            true => BytesMut::new(),
            false => BytesMut::from(&self.bytes[..]),
        };
    }

    /// How many bytes it has room for.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Whether more may be read while something is being sent: as much as fits, and all that is dropped anyway.
    pub(super) fn has_room(&mut self) -> Result<bool> {
        while self.pass_skipped()
            && let Some((tag, body)) = self.header()?
            && matches!(self.plan(tag, body)?, Plan::Skip)
        {
            self.bytes.advance(HEADER);
            self.skip = body;
        }
        Ok(self.bytes.len() < 2 * READ)
    }
}

fn read(tag: u8, mut message: BytesMut) -> Result<Received> {
    match tag {
        backend::DATA_ROW_TAG => {
            message.advance(HEADER);
            DataRow::read(message.freeze()).map(Received::Row)
        }
        backend::COPY_DATA_TAG => {
            message.advance(HEADER);
            Ok(Received::CopyData(message.freeze()))
        }
        _ => match Message::parse(&mut message) {
            Ok(Some(parsed)) => Ok(Received::Other(parsed)),
            Ok(None) => Err(Error::protocol("a message ends before its end")),
            Err(_) => Err(Error::protocol("a message has another form than its kind")),
        },
    }
}

/// A row as the server sent it: its values, each with its length before it.
pub(crate) struct DataRow {
    body: Bytes,
    pub(crate) columns: usize,
}

impl DataRow {
    fn read(mut body: Bytes) -> Result<Self> {
        if body.len() < 2 {
            return Err(Error::protocol("a row has no number of columns"));
        }
        let columns = usize::from(body.get_u16());
        Ok(Self { body, columns })
    }

    /// All values; [`take_value`] takes one off.
    pub(crate) fn values(&self) -> &[u8] {
        &self.body
    }
}

/// The bytes end before they should, or their length is negative.
#[derive(Debug)]
pub(crate) struct Short;

/// Takes off a value with its length in front; none for NULL.
pub(crate) fn take_value<'a>(raw: &mut &'a [u8]) -> std::result::Result<Option<&'a [u8]>, Short> {
    let (length, rest) = raw.split_first_chunk::<4>().ok_or(Short)?;
    *raw = rest;
    match i32::from_be_bytes(*length) {
        -1 => Ok(None),
        length => {
            let length = usize::try_from(length).map_err(|_| Short)?;
            let (value, rest) = raw.split_at_checked(length).ok_or(Short)?;
            *raw = rest;
            Ok(Some(value))
        }
    }
}

impl From<Short> for Error {
    fn from(_: Short) -> Self {
        Self::protocol("a row ends before its last value")
    }
}
