//! Checksums of rows: redb verifies its pages only when it repairs a file, so that rows from a failing disk would be taken
//! for the stored ones.

/// Returns the CRC-32 of the concatenated parts.
pub(crate) fn checksum(parts: &[&[u8]]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize()
}
