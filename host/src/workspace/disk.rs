//! The database file, which can be cut off: after that, writes fail.
//!
//! After every commit, the file can be opened at once, even after a crash (quick repair). The cheapest way to close it
//! is therefore to stop writing, as in a crash; this saves the three to four syncs of redb's own close. After a
//! failure, cutting off keeps discarded changes from reaching the disk.
//!
//! The header at the beginning of the file determines which of the last two commits is valid (redb's docs/design.md).
//! When the last sync of a commit fails, the new header may already be in the file, although the runs were notified of
//! a loss. The header of the last successful sync is therefore kept in memory, and can be written back.

use std::{
    fs::File,
    io,
    ops::Bound,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

#[cfg(not(test))]
use redb::backends::FileBackend as Backend;
use redb::{BackendError, DatabaseError, StorageBackend};

#[cfg(test)]
use super::tests::recorder::Recorder as Backend;
use crate::folder::{Folder, Identity};

/// A file for redb. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Disk(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    file: Backend,
    identity: Identity,
    synced: AtomicBool,
    cut: AtomicBool,
    /// Once the flag is set, every read, write and sync fails.
    stop: OnceLock<Arc<AtomicBool>>,
    /// The header at the last successful sync.
    header: Mutex<Vec<u8>>,
}

/// The limit on the file's length. redb keeps a map of all pages in memory (70 MiB per terabyte), and writes it with
/// each commit. A sparse file in a folder from someone else can claim any length.
pub(super) const MAX_BYTES: u64 = 1 << 40;

/// Returns the error of a file that is longer than the limit.
pub(super) fn too_long(length: u64) -> io::Error {
    let message = format!("its database (.ghost/data.redb) has {length} bytes, the limit is {MAX_BYTES}");
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

/// redb's header has 320 bytes; the rest of its page is unused.
const HEADER_BYTES: usize = 512;

impl Disk {
    /// Returns a file that is synced whenever redb asks for it.
    pub(super) fn new(file: File) -> Result<Self, DatabaseError> {
        Self::with(file, true)
    }

    /// Returns a file that no other process can know yet, and that is synced only once, by `sync`, when it is complete.
    pub(super) fn unsynced(file: File) -> Result<Self, DatabaseError> {
        Self::with(file, false)
    }

    fn with(file: File, synced: bool) -> Result<Self, DatabaseError> {
        let identity = Identity::of(&file)?;
        let file = Backend::new(file)?;
        let (synced, cut) = (AtomicBool::new(synced), AtomicBool::new(false));
        let disk =
            Self(Arc::new(Inner { file, identity, synced, cut, stop: OnceLock::new(), header: Mutex::default() }));
        disk.remember_header()?;
        Ok(disk)
    }

    /// Makes every read, write and sync fail once the flag is set, so that a check of the whole database can be
    /// interrupted.
    pub(super) fn stop_when(&self, flag: &Arc<AtomicBool>) {
        let _the_first_stays = self.0.stop.set(Arc::clone(flag));
    }

    fn refuse_when_stopped(&self) -> io::Result<()> {
        match self.0.stop.get() {
            Some(stop) if stop.load(Ordering::Acquire) => Err(io::Error::other("it was interrupted")),
            _ => Ok(()),
        }
    }

    /// Syncs an unsynced file. From here on, it is synced whenever redb asks for it.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.0.synced.store(true, Ordering::Release);
        self.sync_data()
    }

    /// Whether the file has this name in a folder.
    pub(super) fn is_in(&self, folder: &Folder, name: &str) -> io::Result<bool> {
        folder.has(self.0.identity, name)
    }

    fn remember_header(&self) -> io::Result<()> {
        let mut header = vec![0; HEADER_BYTES];
        if self.0.file.len()? >= HEADER_BYTES as u64 {
            self.0.file.read(0, &mut header)?;
            *self.header() = header;
        }
        Ok(())
    }

    fn header(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.header.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes back the header of the last successful sync, which undoes the commit after it.
    pub(super) fn restore_header(&self) {
        // If this fails, the discarded commit may be on disk after all, but never half of it.
        let restored = self.file().and_then(|file| file.write(0, &self.header()).and_then(|()| file.sync_data()));
        if let Err(error) = restored {
            tracing::warn!(%error, "discarded changes may have reached the disk");
        }
    }

    /// Makes all further writes fail, and releases redb's locks.
    pub(super) fn cut(&self) {
        self.0.cut.store(true, Ordering::Release);
        if let Err(error) = self.0.file.close() {
            tracing::warn!(%error, "a lock of the database was not released");
        }
    }

    fn file(&self) -> io::Result<&Backend> {
        if self.0.cut.load(Ordering::Acquire) {
            return Err(io::Error::new(io::ErrorKind::BrokenPipe, "the file is cut off"));
        }
        self.refuse_when_stopped()?;
        Ok(&self.0.file)
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        self.0.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.refuse_when_stopped()?;
        self.0.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        if len > MAX_BYTES {
            return Err(too_long(len));
        }
        self.file()?.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        let file = self.file()?;
        if self.0.synced.load(Ordering::Acquire) {
            file.sync_data().and_then(|()| self.remember_header())
        } else {
            Ok(())
        }
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.file()?.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.0.file.close()
    }

    // redb's own lock protects the file even if `.ghost/lock` was removed.

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.file.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.file.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.file.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.file.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.file.query_lock_range(start, end)
    }
}
