//! JSON that is written within a limit.

use std::io::{self, Write};

use super::Bound;

/// A buffer for JSON, with a limit.
pub(super) struct Json {
    pub(super) text: String,
    bound: Bound,
}

impl Json {
    pub(super) fn new(bound: Bound) -> Self {
        Self { text: String::new(), bound }
    }

    /// Appends a part of the JSON.
    pub(super) fn push(&mut self, text: &str) -> Result<(), String> {
        if (self.text.len() + text.len()) as u64 > self.bound.bytes {
            return Err(self.bound.exceeded("as JSON, it", None));
        }
        self.text.push_str(text);
        Ok(())
    }

    /// Appends a text as a JSON string.
    pub(super) fn string(&mut self, text: &str) -> Result<(), String> {
        serde_json::to_writer(&mut *self, text).map_err(|_| self.bound.exceeded("as JSON, it", None))
    }
}

impl Write for Json {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        self.push(text).map_err(io::Error::other).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
