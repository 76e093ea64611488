//! The database file in tests: it can record the changes that reach it, and fail on request.

use std::{
    cell::RefCell,
    fs::File,
    io,
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard},
};

use proptest::{prelude::RngExt, test_runner::TestRng};
use redb::{BackendError, DatabaseError, StorageBackend, backends::FileBackend};

/// The unit that a disk writes atomically, in bytes.
const SECTOR: usize = 512;

thread_local! {
    /// The tape for files that this thread opens.
    static INSTALLED: RefCell<Option<Tape>> = const { RefCell::new(None) };
}

/// The recorded changes of a file, in order. Clones share them.
#[derive(Clone, Debug, Default)]
pub(in crate::workspace) struct Tape(Arc<Mutex<Recording>>);

#[derive(Debug, Default)]
struct Recording {
    events: Vec<Event>,
    mark: Mark,
    fault: Option<Fault>,
    /// How many times the fault occurred.
    struck: u64,
}

/// The first and the last of the states that may be found after a crash at this time.
pub(in crate::workspace) type Mark = (usize, usize);

#[derive(Clone, Debug)]
pub(in crate::workspace) struct Event {
    change: Change,
    /// The mark at the time of the change.
    pub(in crate::workspace) mark: Mark,
}

#[derive(Clone, Debug)]
enum Change {
    Write(usize, Vec<u8>),
    Length(usize),
    Sync,
}

/// The kind of an access that may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workspace) enum Access {
    Read,
    Write,
    Sync,
    Length,
}

/// A fault of one kind of access.
#[derive(Clone, Copy, Debug)]
pub(in crate::workspace) struct Fault {
    pub(in crate::workspace) access: Access,
    /// The number of accesses that succeed before the fault.
    pub(in crate::workspace) after: u64,
    /// The error number of the system.
    pub(in crate::workspace) error: i32,
    /// Whether half of the data of a failing write reaches the file.
    pub(in crate::workspace) short: bool,
    /// Whether all later accesses fail too.
    pub(in crate::workspace) lasting: bool,
}

impl Tape {
    /// Records the files that this thread opens from here on, on a new tape.
    pub(in crate::workspace) fn install() -> Self {
        let tape = Self::default();
        INSTALLED.set(Some(tape.clone()));
        tape
    }

    /// Stops recording the files that this thread opens from here on.
    pub(in crate::workspace) fn remove() {
        INSTALLED.set(None);
    }

    pub(in crate::workspace) fn mark(&self, first: usize, last: usize) {
        self.recording().mark = (first, last);
    }

    pub(in crate::workspace) fn last_mark(&self) -> Mark {
        self.recording().mark
    }

    pub(in crate::workspace) fn events(&self) -> Vec<Event> {
        self.recording().events.clone()
    }

    pub(in crate::workspace) fn fail(&self, fault: Option<Fault>) {
        self.recording().fault = fault;
    }

    pub(in crate::workspace) fn struck(&self) -> u64 {
        self.recording().struck
    }

    fn recording(&self) -> MutexGuard<'_, Recording> {
        self.0.lock().unwrap()
    }

    fn record(&self, change: Change) {
        let mut recording = self.recording();
        let mark = recording.mark;
        recording.events.push(Event { change, mark });
    }

    /// Returns the fault if it occurs at this access.
    fn strike(&self, access: Access) -> Option<Fault> {
        let mut recording = self.recording();
        let fault = recording.fault.filter(|fault| fault.access == access)?;
        recording.fault = match fault.after {
            0 if fault.lasting => Some(fault),
            0 => None,
            after => Some(Fault { after: after - 1, ..fault }),
        };
        let strikes = fault.after == 0;
        recording.struck += u64::from(strikes);
        strikes.then_some(fault)
    }
}

/// Returns a possible content of a file after a power loss: of the changes since the last sync, any may be missing,
/// stored in part, or stored in another order.
pub(in crate::workspace) fn image(start: &[u8], events: &[Event], random: &mut TestRng) -> Vec<u8> {
    let mut file = start.to_vec();
    let synced = events.iter().rposition(|event| matches!(event.change, Change::Sync)).map_or(0, |at| at + 1);
    for event in &events[..synced] {
        event.change.apply(&mut file, |_| true);
    }
    let mut unsynced: Vec<_> = events[synced..].iter().collect();
    if random.random_bool(0.5) {
        for at in (1..unsynced.len()).rev() {
            unsynced.swap(at, random.random_range(0..=at));
        }
    }
    let mut share = || [0.0, 0.1, 0.5, 0.9][random.random_range(0..4)];
    let (absent, torn) = (share(), share());
    for event in unsynced {
        if random.random_bool(absent) {
            continue;
        }
        let tear = random.random_bool(torn);
        event.change.apply(&mut file, |_| !tear || random.random_bool(0.5));
    }
    file
}

/// Whether the file is as it was at some time.
pub(in crate::workspace) fn is_whole(start: &[u8], events: &[Event], file: &[u8]) -> bool {
    let mut then = start.to_vec();
    let mut found = then == file;
    for event in events {
        event.change.apply(&mut then, |_| true);
        found |= then == file;
    }
    found
}

impl Change {
    /// Applies the change to the sectors for which `reaches` returns true.
    fn apply(&self, file: &mut Vec<u8>, mut reaches: impl FnMut(usize) -> bool) {
        match self {
            Self::Sync => {}
            Self::Length(length) => file.resize(*length, 0),
            Self::Write(offset, data) => {
                let mut at = *offset;
                while at < offset + data.len() {
                    let end = (at / SECTOR * SECTOR + SECTOR).min(offset + data.len());
                    if reaches(at) {
                        file.resize(file.len().max(end), 0);
                        file[at..end].copy_from_slice(&data[at - offset..end - offset]);
                    }
                    at = end;
                }
            }
        }
    }
}

/// A file, with the tape that records it, if one is installed.
#[derive(Debug)]
pub(in crate::workspace) struct Recorder {
    file: FileBackend,
    tape: Option<Tape>,
}

impl Recorder {
    pub(in crate::workspace) fn new(file: File) -> Result<Self, DatabaseError> {
        Ok(Self { file: FileBackend::new(file)?, tape: INSTALLED.with_borrow(Clone::clone) })
    }

    fn strike(&self, access: Access) -> io::Result<()> {
        match self.tape.as_ref().and_then(|tape| tape.strike(access)) {
            Some(fault) => Err(io::Error::from_raw_os_error(fault.error)),
            None => Ok(()),
        }
    }

    fn record(&self, change: impl FnOnce() -> Change) {
        if let Some(tape) = &self.tape {
            tape.record(change());
        }
    }

    fn write_through(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.file.write(offset, data)?;
        self.record(|| Change::Write(usize::try_from(offset).unwrap(), data.to_vec()));
        Ok(())
    }
}

impl StorageBackend for Recorder {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.strike(Access::Read)?;
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.strike(Access::Length)?;
        self.file.set_len(len)?;
        self.record(|| Change::Length(usize::try_from(len).unwrap()));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.strike(Access::Sync)?;
        // The test needs only the time of the sync. No real power loss occurs, so the file need not be synced.
        let Some(tape) = &self.tape else { return self.file.sync_data() };
        tape.record(Change::Sync);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        match self.tape.as_ref().and_then(|tape| tape.strike(Access::Write)) {
            Some(fault) => {
                if fault.short {
                    self.write_through(offset, &data[..data.len() / 2])?;
                }
                Err(io::Error::from_raw_os_error(fault.error))
            }
            None => self.write_through(offset, data),
        }
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.query_lock_range(start, end)
    }
}
