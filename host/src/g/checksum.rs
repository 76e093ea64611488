//! Checksums of rows: redb verifies its pages only when it repairs them, so what a damaged disk gives back would pass for
//! what was stored.

/// The CRC-32 of some parts, one after the other.
pub(crate) fn checksum(parts: &[&[u8]]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize()
}
