//! The result of a function as JSON, whose memory the run counts.

use std::io::{self, Write};

use serde::Serialize;

use crate::{Error, gate::ByteCounter};

/// Serializes the result of one call, and counts its memory.
pub(super) struct Output {
    text: Vec<u8>,
    counter: ByteCounter,
    /// Why the text is not complete.
    refused: Option<Error>,
}

impl Output {
    pub(super) fn new(counter: ByteCounter) -> Self {
        Self { text: Vec::new(), counter, refused: None }
    }

    /// Returns a value as JSON. Fails with `limit` when it is larger than the answers of the run may be.
    pub(super) fn serialize(mut self, value: &impl Serialize) -> Result<String, Error> {
        match serde_json::to_writer(&mut self, value) {
            Ok(()) => String::from_utf8(self.text).map_err(Error::internal),
            Err(error) => Err(self.refused.take().unwrap_or_else(|| Error::internal(error))),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = self.counter.grow(bytes.len()) {
            self.refused = Some(error);
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
