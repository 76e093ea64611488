//! Files of an index in memory, without a copy.
#![allow(unsafe_code, reason = "the system can't promise that nobody else shortens a file that is mapped")]

use std::{fs::File, io};

use memmap2::Mmap;
use tantivy::directory::OwnedBytes;

/// The bytes of a file, as the system reads them when they are needed.
pub(super) fn map(file: &File) -> io::Result<OwnedBytes> {
    if file.metadata()?.len() == 0 {
        return Ok(OwnedBytes::empty());
    }
    // SAFETY: nobody changes a file of an index once it is written; it is removed, which leaves what is mapped. The folder is
    // this user's alone, and this process holds the index's lock. Damage is noticed when the index is opened.
    let mapped = unsafe { Mmap::map(file)? };
    Ok(OwnedBytes::new(mapped))
}
