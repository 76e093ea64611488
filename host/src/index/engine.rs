//! An open index: Tantivy's writer and reader, and the lock that keeps other processes out.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use tantivy::{
    IndexReader, IndexSettings, IndexWriter, ReloadPolicy, Searcher, TantivyDocument, TantivyError, Term,
    indexer::{IndexWriterOptions, LogMergePolicy},
};

use super::{
    directory::Unsynced,
    mark::{self, Trust},
    schema::Fields,
};
use crate::{Error, ErrorCode};

/// Beside the folder, so that the folder can be made anew under it.
const LOCK: &str = "lock";
const WAITING: &str = "waiting";
/// How much the writer gathers before it writes a segment.
const MEMORY: usize = 50 << 20;
/// The part of deleted documents from which on a segment is written anew.
const DELETED: f32 = 0.25;
/// From here on it is cheaper to sync an index when it is closed than to make it anew after a restart of the system.
const WORTH_SYNCING: u64 = 10_000;
const PAUSE: Duration = Duration::from_millis(1);

pub(super) struct Engine {
    folder: PathBuf,
    writer: IndexWriter,
    reader: IndexReader,
    fields: Fields,
    /// The last turn of the log that it has taken in; 0 for none.
    turn: u64,
    lock: Lock,
}

/// The lock of an index, held while it lives. Who waits for it holds another one with all others who wait.
pub(super) struct Lock {
    _held: File,
    waiting: File,
}

impl Lock {
    /// Whether another process waits for it.
    fn is_wanted(&self) -> bool {
        match self.waiting.try_lock() {
            Ok(()) => self.waiting.unlock().is_err(),
            Err(_) => true,
        }
    }
}

impl Engine {
    /// Opens the index in a folder, or makes an empty one in place of what can't be trusted.
    pub(super) fn open(folder: &Path, lock: Lock) -> Result<Self, TantivyError> {
        let trusted = trusted(folder)?;
        let parts = trusted.and_then(|(index, fields)| match Parts::of(folder, &index) {
            Ok(parts) => Some((parts, fields)),
            Err(error) => {
                tracing::warn!(%error, "an index is made anew");
                None
            }
        });
        let (parts, fields) = parts.map_or_else(|| make(folder), Ok)?;
        let Parts { writer, reader, turn } = parts;
        Ok(Self { folder: folder.into(), writer, reader, fields, turn, lock })
    }

    /// Whether another process waits for the index.
    pub(super) fn is_wanted(&self) -> bool {
        self.lock.is_wanted()
    }

    pub(super) fn turn(&self) -> u64 {
        self.turn
    }

    pub(super) fn fields(&self) -> &Fields {
        &self.fields
    }

    pub(super) fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }

    /// Puts a document in place of the one with its names.
    pub(super) fn put(&self, collection: &str, number: u64, key: &str, json: &str) -> Result<(), TantivyError> {
        self.delete(collection, key);
        self.add(self.fields.document(collection, number, key, json))
    }

    pub(super) fn add(&self, document: TantivyDocument) -> Result<(), TantivyError> {
        self.writer.add_document(document).map(drop)
    }

    pub(super) fn delete(&self, collection: &str, key: &str) {
        self.writer.delete_term(self.fields.id_term(collection, key));
    }

    pub(super) fn delete_collection(&self, number: u64) {
        self.writer.delete_term(Term::from_field_u64(self.fields.collection, number));
    }

    /// Makes what was put and deleted visible; it is taken in up to this turn.
    pub(super) fn commit(&mut self, turn: u64) -> Result<(), TantivyError> {
        let mut commit = self.writer.prepare_commit()?;
        commit.set_payload(&turn.to_string());
        commit.commit()?;
        self.turn = turn;
        self.reader.reload()
    }

    /// Waits for merges that are under way, and leaves the index to be trusted.
    pub(super) fn close(self) -> Result<(), TantivyError> {
        let is_worth_syncing = self.reader.searcher().num_docs() >= WORTH_SYNCING;
        self.writer.wait_merging_threads()?;
        drop(self.reader);
        Ok(mark::closed(&self.folder, is_worth_syncing)?)
    }
}

/// What an index is worked with.
struct Parts {
    writer: IndexWriter,
    reader: IndexReader,
    turn: u64,
}

impl Parts {
    fn of(folder: &Path, index: &tantivy::Index) -> Result<Self, TantivyError> {
        mark::opened(folder)?;
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1)
            .num_merge_threads(1)
            .memory_budget_per_thread(MEMORY)
            .build();
        let writer = index.writer_with_options(options)?;
        let mut policy = LogMergePolicy::default();
        policy.set_del_docs_ratio_before_merge(DELETED);
        writer.set_merge_policy(Box::new(policy));
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let turn = index.load_metas()?.payload.and_then(|payload| payload.parse().ok()).unwrap_or(0);
        Ok(Self { writer, reader, turn })
    }
}

/// An empty index in place of what there is.
fn make(folder: &Path) -> Result<(Parts, Fields), TantivyError> {
    wipe(folder)?;
    fs::create_dir_all(folder)?;
    let fields = Fields::new();
    let index = tantivy::Index::create(Unsynced::open(folder)?, fields.schema.clone(), IndexSettings::default())?;
    Ok((Parts::of(folder, &index)?, fields))
}

/// The index that is there, if it can be trusted.
fn trusted(folder: &Path) -> Result<Option<(tantivy::Index, Fields)>, TantivyError> {
    let trust = mark::look(folder)?;
    if trust == Trust::None {
        return Ok(None);
    }
    let fields = Fields::new();
    // Damaged files can make Tantivy panic.
    let opened = catch_unwind(AssertUnwindSafe(|| {
        let index = tantivy::Index::open(Unsynced::open(folder)?)?;
        let is_whole = trust == Trust::Full || index.validate_checksum()?.is_empty();
        Ok((is_whole && index.schema() == fields.schema).then_some(index))
    }))
    .unwrap_or_else(|_| Err(TantivyError::InternalError("a panic".into())));
    match opened {
        Ok(index) => Ok(index.map(|index| (index, fields))),
        Err(error) => {
            tracing::warn!(%error, "an index can't be opened, and is made anew");
            Ok(None)
        }
    }
}

/// Removes an index.
pub(super) fn wipe(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Waits until no other process has the index.
pub(super) fn lock(folder: &Path, until: Instant) -> Result<Lock, Error> {
    let failed = |error: io::Error| super::failed(TantivyError::from(error));
    fs::create_dir_all(folder).map_err(failed)?;
    let open = |name| OpenOptions::new().read(true).write(true).create(true).truncate(false).open(folder.join(name));
    let (held, waiting) = (open(LOCK).map_err(failed)?, open(WAITING).map_err(failed)?);
    let mut is_waiting = false;
    loop {
        match held.try_lock() {
            Ok(()) => {
                if is_waiting {
                    waiting.unlock().map_err(failed)?;
                }
                return Ok(Lock { _held: held, waiting });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                return Err(Error::new(
                    ErrorCode::Busy,
                    "another process uses the search index, and did not give it up",
                ));
            }
            Err(TryLockError::WouldBlock) => {
                is_waiting = is_waiting || waiting.try_lock_shared().is_ok();
                thread::sleep(PAUSE);
            }
        }
    }
}
