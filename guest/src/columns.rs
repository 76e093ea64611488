//! Converts the columns of QuickJS (bytes of UTF-8) to those of editors (UTF-16 units).
//!
//! They differ only in lines with non-ASCII characters. These lines are stored in front of the bytecode.

use std::{cell::RefCell, collections::HashMap};

thread_local! {
    static LINES: RefCell<HashMap<u32, String>> = RefCell::default();
}

/// Remembers the lines of a source that have non-ASCII characters.
pub fn read(source: &str) {
    let lines = source.lines().zip(1..).filter(|(line, _)| !line.is_ascii());
    LINES.set(lines.map(|(line, number)| (number, line.to_owned())).collect());
}

/// Returns the bytecode with these lines in front of it.
pub fn pack(bytecode: &[u8]) -> Vec<u8> {
    LINES.with_borrow(|lines| {
        let mut packed = number(lines.len()).to_vec();
        for (line, text) in lines {
            packed.extend(line.to_le_bytes());
            packed.extend(number(text.len()));
            packed.extend(text.as_bytes());
        }
        packed.extend(bytecode);
        packed
    })
}

/// Reads the lines, and returns the bytecode; none if the data was not packed.
pub fn unpack(packed: &[u8]) -> Option<&[u8]> {
    let (count, mut rest) = take(packed)?;
    let mut lines = HashMap::new();
    for _ in 0..count {
        let (line, after) = take(rest)?;
        let (length, after) = take(after)?;
        let (text, after) = after.split_at_checked(length as usize)?;
        lines.insert(line, String::from_utf8(text.into()).ok()?);
        rest = after;
    }
    LINES.set(lines);
    Some(rest)
}

/// Returns a column in UTF-16 units, from 1; none if the line has no character at this place.
pub fn column(line: u32, bytes: u32) -> Option<u32> {
    LINES.with_borrow(|lines| {
        let Some(text) = lines.get(&line) else { return Some(bytes) };
        let before = text.get(..bytes.checked_sub(1)? as usize)?;
        u32::try_from(before.encode_utf16().count()).ok().map(|units| units + 1)
    })
}

fn number(number: usize) -> [u8; 4] {
    u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()
}

fn take(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u32::from_le_bytes(*number), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf_16_units() {
        read("plain\n/* 😀 é */ x");
        let packed = pack(b"code");
        read("");
        assert_eq!(unpack(&packed), Some(&b"code"[..]));
        assert_eq!(column(1, 3), Some(3));
        assert_eq!(column(2, 15), Some(12));
        assert_eq!(column(2, 5), None, "inside of a character");
        assert_eq!(column(2, 99), None);
        assert_eq!(unpack(b"\x01"), None);
    }
}
