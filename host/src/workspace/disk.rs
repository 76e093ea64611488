//! The file under the database, with a switch: once it is cut off, nothing more reaches it.
//!
//! Every commit leaves the file as one that opens at once after a crash (quick repair). So the cheapest way to close it
//! is to leave as a crash would: it saves the three to four syncs of redb's own close. After a failure the switch keeps
//! what was given up from reaching the disk after all.
//!
//! Which of the two last commits holds is said by the header, at the file's beginning (redb's docs/design.md). When the
//! last sync of a commit fails, the new header may be in the file, and what its runs were told is lost would be there
//! after all. So the header of the last sync that went well is kept, and can be put back.

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

/// A file for redb; clones are the same one.
#[derive(Clone, Debug)]
pub(super) struct Disk(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    file: Backend,
    synced: AtomicBool,
    cut: AtomicBool,
    /// When set, nothing more is read or written.
    stop: OnceLock<Arc<AtomicBool>>,
    /// As it was synced last.
    header: Mutex<Vec<u8>>,
}

/// How long the file may be: redb keeps a map of all its pages in memory, 70 MiB of it for a terabyte, and writes it with each
/// commit. A file may be longer than what was ever written to it, and come with somebody else's folder.
pub(super) const LONGEST: u64 = 1 << 40;

/// A file that is longer than it may be.
pub(super) fn too_long(length: u64) -> io::Error {
    let message = format!("its database (.ghost/data.redb) has {length} bytes, the limit is {LONGEST}");
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

/// redb's header has 320 bytes, and what follows in its page is not used.
const HEADER_BYTES: usize = 512;

impl Disk {
    /// A file that is synced whenever redb asks for it.
    pub(super) fn new(file: File) -> Result<Self, DatabaseError> {
        Self::with(file, true)
    }

    /// A file that nobody else can know of yet: it is synced once, when it is complete.
    pub(super) fn unsynced(file: File) -> Result<Self, DatabaseError> {
        Self::with(file, false)
    }

    fn with(file: File, synced: bool) -> Result<Self, DatabaseError> {
        let file = Backend::new(file)?;
        let (synced, cut) = (AtomicBool::new(synced), AtomicBool::new(false));
        let disk = Self(Arc::new(Inner { file, synced, cut, stop: OnceLock::new(), header: Mutex::default() }));
        disk.remember_header()?;
        Ok(disk)
    }

    /// Lets everything fail once the flag is set: so what reads all of a database can be stopped.
    pub(super) fn stop_when(&self, flag: &Arc<AtomicBool>) {
        let _the_first_stays = self.0.stop.set(Arc::clone(flag));
    }

    fn refuse_when_stopped(&self) -> io::Result<()> {
        match self.0.stop.get() {
            Some(stop) if stop.load(Ordering::Acquire) => Err(io::Error::other("it was interrupted")),
            _ => Ok(()),
        }
    }

    /// Puts on disk what an unsynced file holds; from here on it is synced.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.0.synced.store(true, Ordering::Release);
        self.sync_data()
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

    /// Makes the file one that holds what it held at the last sync that went well.
    pub(super) fn take_back(&self) {
        // Where it fails, what was given up may be there after all, but whole.
        let put_back = self.file().and_then(|file| file.write(0, &self.header()).and_then(|()| file.sync_data()));
        if let Err(error) = put_back {
            tracing::warn!(%error, "what is given up may have reached the disk");
        }
    }

    /// Lets nothing more through, and gives redb's locks back.
    pub(super) fn cut(&self) {
        self.0.cut.store(true, Ordering::Release);
        if let Err(error) = self.0.file.close() {
            tracing::warn!(%error, "a lock of the database was not given back");
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
        if len > LONGEST {
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

    // redb's own lock guards the file also where somebody removed ours.

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
