//! Files of an index, as Tantivy reads them.
//!
//! They are read, not mapped into memory. Truncating a mapped file, or an I/O error on it, ends the whole process by a signal,
//! and with it the runs of others; reading such a file returns an error, and the index is rebuilt.
//!
//! Tantivy asks for a range of a file each time it needs it: the postings of a word, a column. An LRU cache ([`Parts`]) keeps
//! the ranges that were read last. A small file is kept as a whole and needs no file descriptor.

use std::{
    fmt,
    fs::File,
    io::{self, ErrorKind},
    ops::Range,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use lru::LruCache;
use rustix::{buffer::spare_capacity, io::Errno};
use tantivy::{
    HasLen,
    directory::{FileHandle, OwnedBytes},
};

/// The largest file that is kept as a whole, in bytes.
const SMALL: usize = 64 << 10;
/// How many bytes of parts are kept, for all files of an index.
const KEPT: usize = 32 << 20;
/// The smallest part that is kept, in bytes: those below are a document's name each, and read as fast.
const SMALLEST: usize = 4 << 10;
/// The largest part that is read, in bytes. What a damaged file asks for beyond that is not tried.
const LARGEST: usize = 1 << 30;

/// An open file.
pub(super) struct IndexFile {
    length: usize,
    content: Content,
}

enum Content {
    Whole(OwnedBytes),
    Parts { file: File, number: u64, parts: Arc<Parts> },
}

impl IndexFile {
    pub(super) fn open(file: File, parts: &Arc<Parts>) -> io::Result<Self> {
        let length = usize::try_from(file.metadata()?.len()).map_err(|_| ErrorKind::FileTooLarge)?;
        let content = if length <= SMALL {
            Content::Whole(read(&file, 0..length)?)
        } else {
            let number = parts.files.fetch_add(1, Ordering::Relaxed);
            Content::Parts { file, number, parts: Arc::clone(parts) }
        };
        Ok(Self { length, content })
    }
}

impl FileHandle for IndexFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if range.start > range.end || range.end > self.length {
            return Err(ErrorKind::InvalidInput.into());
        }
        match &self.content {
            Content::Whole(bytes) => Ok(bytes.slice(range)),
            Content::Parts { file, number, parts } => parts.get_or_read(*number, file, range),
        }
    }
}

impl HasLen for IndexFile {
    fn len(&self) -> usize {
        self.length
    }
}

impl fmt::Debug for IndexFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexFile").field("length", &self.length).finish_non_exhaustive()
    }
}

impl Drop for IndexFile {
    fn drop(&mut self) {
        if let Content::Parts { number, parts, .. } = &self.content {
            parts.kept().forget(*number);
        }
    }
}

fn read(file: &File, range: Range<usize>) -> io::Result<OwnedBytes> {
    if range.len() > LARGEST {
        return Err(ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(range.len()).map_err(|_| ErrorKind::OutOfMemory)?;
    while bytes.len() < range.len() {
        let at = (range.start + bytes.len()) as u64;
        match rustix::io::pread(file, spare_capacity(&mut bytes), at) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    bytes.truncate(range.len());
    Ok(OwnedBytes::new(bytes))
}

/// An LRU cache of ranges of an index's files.
pub(super) struct Parts {
    /// How many files were numbered.
    files: AtomicU64,
    kept: Mutex<Kept>,
}

struct Kept {
    parts: LruCache<(u64, Range<usize>), OwnedBytes>,
    bytes: usize,
}

impl Default for Parts {
    fn default() -> Self {
        Self { files: AtomicU64::default(), kept: Mutex::new(Kept { parts: LruCache::unbounded(), bytes: 0 }) }
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").finish_non_exhaustive()
    }
}

impl Parts {
    fn get_or_read(&self, number: u64, file: &File, range: Range<usize>) -> io::Result<OwnedBytes> {
        if !(SMALLEST..=KEPT).contains(&range.len()) {
            return read(file, range);
        }
        let part = (number, range.clone());
        if let Some(bytes) = self.kept().parts.get(&part) {
            return Ok(bytes.clone());
        }
        let bytes = read(file, range)?;
        self.kept().keep(part, bytes.clone());
        Ok(bytes)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn keep(&mut self, part: (u64, Range<usize>), bytes: OwnedBytes) {
        self.bytes += bytes.len();
        let before = self.parts.put(part, bytes);
        self.bytes -= before.map_or(0, |bytes| bytes.len());
        while self.bytes > KEPT {
            let Some((_, bytes)) = self.parts.pop_lru() else { break };
            self.bytes -= bytes.len();
        }
    }

    fn forget(&mut self, number: u64) {
        let parts: Vec<_> = self.parts.iter().map(|(part, _)| part).filter(|part| part.0 == number).cloned().collect();
        for part in parts {
            self.bytes -= self.parts.pop(&part).map_or(0, |bytes| bytes.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn file(length: usize) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&(0..length).map(|at| at as u8).collect::<Vec<_>>()).unwrap();
        file
    }

    #[test]
    fn a_range_holds_the_bytes_of_the_file_at_any_size() {
        let parts = Arc::default();
        for length in [0, 1, SMALL, SMALL + 1, 10 * SMALL] {
            let opened = IndexFile::open(file(length), &parts).unwrap();
            for range in [0..0, 0..length, length / 3..length, length..length] {
                for _ in 0..2 {
                    let bytes = opened.read_bytes(range.clone()).unwrap();
                    assert!(bytes.iter().copied().eq(range.clone().map(|at| at as u8)), "{range:?} of {length}");
                }
            }
            assert!(opened.read_bytes(0..length + 1).is_err());
        }
    }

    #[test]
    fn a_file_that_is_shortened_gives_an_error() {
        let file = file(10 * SMALL);
        let opened = IndexFile::open(file.try_clone().unwrap(), &Arc::default()).unwrap();
        let kept = opened.read_bytes(0..SMALL).unwrap();
        file.set_len(0).unwrap();
        assert_eq!(opened.read_bytes(SMALL..2 * SMALL).unwrap_err().kind(), ErrorKind::UnexpectedEof);
        assert_eq!(opened.read_bytes(0..SMALL).unwrap().as_slice(), kept.as_slice());
    }

    /// How many bytes are kept, in how many parts.
    fn size(parts: &Parts) -> (usize, usize) {
        let kept = parts.kept();
        (kept.bytes, kept.parts.len())
    }

    #[test]
    fn what_is_kept_is_bounded_and_goes_with_its_file() {
        let (parts, length) = (Arc::new(Parts::default()), KEPT / 4);
        let files: Vec<_> = (0..6).map(|_| IndexFile::open(file(length), &parts).unwrap()).collect();
        for file in &files {
            file.read_bytes(0..length).unwrap();
        }
        assert_eq!(size(&parts), (KEPT, 4));
        drop(files);
        assert_eq!(size(&parts), (0, 0));
    }

    #[test]
    fn a_part_beyond_all_bounds_is_not_read() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(1 << 40).unwrap();
        let opened = IndexFile::open(file, &Arc::default()).unwrap();
        assert_eq!(opened.read_bytes(0..1 << 40).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }
}
