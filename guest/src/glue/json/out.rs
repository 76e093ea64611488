//! The buffer of the writer. A failed allocation throws an exception.

use javy::quickjs::{Ctx, Error, Result, qjs};

/// The first capacity, which suffices for most documents.
const INITIAL_BYTES: usize = 512;

/// JSON text under construction.
pub struct Out<'c, 'js> {
    ctx: &'c Ctx<'js>,
    text: Vec<u8>,
}

impl<'c, 'js> Out<'c, 'js> {
    pub fn new(ctx: &'c Ctx<'js>) -> Self {
        Self { ctx, text: Vec::new() }
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns the byte at an index.
    pub fn byte(&self, index: usize) -> Option<u8> {
        self.text.get(index).copied()
    }

    /// Returns the text.
    pub fn finish(self) -> Result<String> {
        Ok(String::from_utf8(self.text).map_err(|error| error.utf8_error())?)
    }

    pub fn push(&mut self, text: &str) -> Result<()> {
        self.bytes(text.as_bytes())
    }

    pub fn whole(&mut self, number: i32) -> Result<()> {
        self.push(itoa::Buffer::new().format(number))
    }

    /// Writes a finite number as JavaScript does.
    pub fn number(&mut self, number: f64) -> Result<()> {
        self.push(ryu_js::Buffer::new().format_finite(number))
    }

    /// Writes a string in quotes, as `JSON.stringify` does.
    pub fn quoted(&mut self, text: &[u8]) -> Result<()> {
        self.reserve(text.len() + 2)?;
        self.text.push(b'"');
        self.escaped(text, escape)?;
        self.push("\"")
    }

    /// Writes JSON unchanged, except that unpaired surrogates are escaped (they can only occur inside a string).
    pub fn raw(&mut self, text: &[u8]) -> Result<()> {
        self.escaped(text, |_| None)
    }

    fn escaped(&mut self, text: &[u8], escape: impl Fn(u8) -> Option<u8>) -> Result<()> {
        let mut rest = text;
        loop {
            let plain = plain_bytes(rest);
            self.bytes(&rest[..plain])?;
            rest = match &rest[plain..] {
                [] => return Ok(()),
                // QuickJS encodes an unpaired surrogate in three bytes, which is not valid UTF-8.
                [0xed, middle @ 0xa0..=0xbf, last, after @ ..] => {
                    let unit = 0xd000 | u16::from(middle & 0x3f) << 6 | u16::from(last & 0x3f);
                    self.push(&format!("\\u{unit:04x}"))?;
                    after
                }
                [byte, after @ ..] => {
                    match escape(*byte) {
                        None => self.bytes(&[*byte])?,
                        Some(b'u') => self.push(&format!("\\u{byte:04x}"))?,
                        Some(letter) => self.bytes(&[b'\\', letter])?,
                    }
                    after
                }
            };
        }
    }

    /// Writes bytes, which must be UTF-8 as a whole.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.reserve(bytes.len())?;
        self.text.extend_from_slice(bytes);
        Ok(())
    }

    #[inline]
    fn reserve(&mut self, bytes: usize) -> Result<()> {
        if self.text.capacity() - self.text.len() >= bytes { Ok(()) } else { self.grow(bytes) }
    }

    /// Doubles the capacity, or grows it to what is needed. A failure throws the out-of-memory error.
    #[cold]
    fn grow(&mut self, bytes: usize) -> Result<()> {
        let wanted = bytes.max(INITIAL_BYTES);
        let grown = self.text.try_reserve(wanted).or_else(|_| self.text.try_reserve_exact(bytes));
        grown.map_err(|_| out_of_memory(self.ctx))
    }
}

/// Throws the engine's out-of-memory error.
#[allow(unsafe_code, reason = "rquickjs has no function for it")]
pub fn out_of_memory(ctx: &Ctx<'_>) -> Error {
    // SAFETY: The context is valid, and owns the exception.
    unsafe { qjs::JS_ThrowOutOfMemory(ctx.as_raw().as_ptr()) };
    Error::Exception
}

/// Returns the letter of an escape; `u` stands for a numeric one.
fn escape(byte: u8) -> Option<u8> {
    match byte {
        b'"' | b'\\' => Some(byte),
        b'\n' => Some(b'n'),
        b'\r' => Some(b'r'),
        b'\t' => Some(b't'),
        0x08 => Some(b'b'),
        0x0c => Some(b'f'),
        0..0x20 => Some(b'u'),
        _ => None,
    }
}

/// Returns the number of bytes before the first that may need an escape. Checks eight at a time, since most texts have
/// none.
fn plain_bytes(text: &[u8]) -> usize {
    let (words, _) = text.as_chunks::<8>();
    let plain = words.iter().position(|word| may_need_escape(u64::from_le_bytes(*word))).unwrap_or(words.len());
    let rest = &text[plain * 8..];
    plain * 8 + rest.iter().position(|byte| is_special(*byte)).unwrap_or(rest.len())
}

fn is_special(byte: u8) -> bool {
    matches!(byte, 0..0x20 | b'"' | b'\\' | 0xed)
}

/// Whether any of eight bytes may be special; may be a false positive.
fn may_need_escape(word: u64) -> bool {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    let has_less = |word: u64, than: u64| word.wrapping_sub(ONES * than) & !word & HIGH;
    let has = |byte: u8| has_less(word ^ (ONES * u64::from(byte)), 1);
    (has_less(word, 0x20) | has(b'"') | has(b'\\') | has(0xed)) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_special_byte_is_found_wherever_it_is() {
        for byte in 0..=255 {
            for place in 0..20 {
                let mut text = [b'a'; 20];
                text[place] = byte;
                let expected = if is_special(byte) { place } else { 20 };
                assert_eq!(plain_bytes(&text), expected, "{byte:#x} at {place}");
            }
        }
    }
}
