//! An open index: Tantivy's writer and reader, and the lock that excludes other processes.

use std::{
    fs::{File, TryLockError},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
    time::{Duration, Instant},
};

use tantivy::{
    IndexReader, IndexSettings, IndexWriter, ReloadPolicy, TantivyError, Term,
    indexer::{IndexWriterOptions, LogMergePolicy},
    store::Compressor,
};

use super::{
    View, checksum,
    directory::Unsynced,
    flat::Flat,
    schema::{Fields, id},
    small_batch::SmallBatch,
    stop::{Current, Stop},
    tokens,
    trust_marker::{self, Trust},
};
use crate::{Error, ErrorCode, data::log::IndexPosition, folder::Folder};

/// The files of the lock. They are in a folder next to the index's own, so that the latter can be recreated under the lock.
const LOCK: &str = "lock";
const WAITING: &str = "waiting";
/// How many bytes the writer accumulates before it writes a segment.
const WRITER_BYTES: usize = 32 << 20;
/// How many bytes of stored names are read together.
const BLOCK_BYTES: usize = 1 << 10;
/// The fraction of deleted documents above which a segment is rewritten.
const MAX_DELETED: f32 = 0.25;
/// From this number of documents on, syncing an index when it is closed is cheaper than rebuilding it after a restart of the
/// system.
const MIN_SYNCED_DOCUMENTS: u64 = 10_000;
const RETRY_DELAY: Duration = Duration::from_millis(1);

/// An open index, of which one process at a time has the lock.
pub(crate) struct OpenIndex {
    folder: Folder,
    pub(super) writer: IndexWriter<Flat>,
    reader: IndexReader,
    fields: Fields,
    /// Stops indexing.
    stop: Current,
    small_batch: SmallBatch,
    /// Since the last commit so many documents were added that they are in the writer, not in `small_batch`.
    has_many: bool,
    /// How far it has applied the log.
    position: Option<IndexPosition>,
    lock: Lock,
}

/// The lock of an index, released on drop. Waiters share a second lock.
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

impl OpenIndex {
    /// Opens the index in the folder of this name; an untrusted one is replaced by an empty one.
    pub(super) fn open(indexes: &Folder, name: &str, lock: Lock) -> Result<Self, TantivyError> {
        let stop = Current::default();
        let trusted = match existing(indexes, name)? {
            Some(folder) => trusted(&folder, &stop)?.map(|(index, fields)| (folder, index, fields)),
            None => None,
        };
        let parts = trusted.and_then(|(folder, index, fields)| match Parts::of(folder, &index) {
            Ok(parts) => Some((parts, fields)),
            Err(error) => {
                tracing::warn!(%error, "an index is rebuilt");
                None
            }
        });
        let (parts, fields) = parts.map_or_else(|| make(indexes, name, &stop), Ok)?;
        let Parts { folder, writer, reader, position } = parts;
        Ok(Self {
            folder,
            writer,
            reader,
            fields,
            stop,
            small_batch: SmallBatch::default(),
            has_many: false,
            position,
            lock,
        })
    }

    /// From now on, work stops when this says so.
    pub(crate) fn stop_when(&self, stop: &Stop) {
        self.stop.set(stop.clone());
    }

    /// Whether another process waits for the index.
    pub(super) fn is_wanted(&self) -> bool {
        self.lock.is_wanted()
    }

    /// How far it has applied the log; none if it was never committed.
    pub(crate) fn position(&self) -> Option<IndexPosition> {
        self.position
    }

    /// Whether it contains no document, not even a deleted one.
    pub(crate) fn is_empty(&self) -> bool {
        self.reader.searcher().segment_readers().is_empty()
    }

    /// The index as of its last commit.
    pub(crate) fn view(&self) -> View {
        View { searcher: self.reader.searcher(), fields: self.fields.clone() }
    }

    /// Adds a document, and replaces the one with the same collection and key.
    pub(crate) fn put(&mut self, collection: &str, number: u64, key: &str, json: &str) -> Result<(), TantivyError> {
        self.delete(collection, key)?;
        self.add(collection, number, key, json)
    }

    /// Adds a document whose collection and key are new. When work is stopped, the document is incomplete, and no commit
    /// follows.
    pub(crate) fn add(&mut self, collection: &str, number: u64, key: &str, json: &str) -> Result<(), TantivyError> {
        let stop = self.stop.get();
        let Some(document) = Flat::of(&self.fields, collection, number, key, json, &stop) else { return Ok(()) };
        if self.has_many {
            return self.writer.add_document(document).map(drop);
        }
        self.small_batch.put(id(collection, key), number, document);
        if self.small_batch.are_many() {
            self.has_many = true;
            for document in self.small_batch.take() {
                self.writer.add_document(document)?;
            }
        }
        Ok(())
    }

    pub(crate) fn delete(&mut self, collection: &str, key: &str) -> Result<(), TantivyError> {
        self.small_batch.delete(&id(collection, key));
        self.delete_outside_batch(self.fields.id_term(collection, key))
    }

    pub(crate) fn delete_collection(&mut self, number: u64) -> Result<(), TantivyError> {
        self.small_batch.delete_collection(number);
        self.delete_outside_batch(Term::from_field_u64(self.fields.collection, number))
    }

    /// Deletes matching documents that are not in `small_batch`.
    fn delete_outside_batch(&mut self, term: Term) -> Result<(), TantivyError> {
        // Without a segment there is nothing to delete, and Tantivy would apply the deletion to the next segment.
        if !self.has_many && self.is_empty() {
            return Ok(());
        }
        let others = self.small_batch.others(&self.writer, term);
        self.writer.delete_query(others).map(drop)
    }

    /// Commits additions and deletions, with the position up to which the log is applied. False when work was stopped before:
    /// then the index has incomplete documents, and must be discarded.
    pub(crate) fn commit(&mut self, position: IndexPosition) -> Result<bool, TantivyError> {
        let stop = self.stop.get();
        if stop.is_cut() {
            return Ok(false);
        }
        self.small_batch.finish(&self.writer)?;
        self.has_many = false;
        // Here, at the latest, the writer indexes its documents.
        let mut commit = self.writer.prepare_commit()?;
        if stop.is_cut() {
            return Ok(false);
        }
        commit.set_payload(&format!("{} {}", position.generation, position.turn));
        commit.commit()?;
        self.position = Some(position);
        self.reader.reload()?;
        Ok(true)
    }

    /// Waits for running merges, and marks the index as trusted.
    pub(super) fn close(self) -> Result<(), TantivyError> {
        let is_worth_syncing = self.reader.searcher().num_docs() >= MIN_SYNCED_DOCUMENTS;
        self.writer.wait_merging_threads()?;
        drop(self.reader);
        Ok(trust_marker::closed(&self.folder, is_worth_syncing)?)
    }
}

impl OpenIndex {
    /// Discards what was not committed, and returns the lock. Waits for running merges, so that only the owner of the lock
    /// writes into the folder. If the writer has already failed, Tantivy does not wait; files that it writes
    /// after that belong to no commit, and the next opening ignores or rejects them.
    pub(super) fn abandon(self) -> Lock {
        let Self { writer, reader, lock, .. } = self;
        // Corrupt files can make Tantivy panic.
        let stopped = catch_unwind(AssertUnwindSafe(|| {
            drop(reader);
            writer.wait_merging_threads()
        }));
        if !matches!(stopped, Ok(Ok(()))) {
            tracing::debug!("the threads of a discarded index had failed");
        }
        lock
    }
}

/// The parts of an open index.
struct Parts {
    folder: Folder,
    writer: IndexWriter<Flat>,
    reader: IndexReader,
    position: Option<IndexPosition>,
}

impl Parts {
    fn of(folder: Folder, index: &tantivy::Index) -> Result<Self, TantivyError> {
        trust_marker::opened(&folder)?;
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1)
            .num_merge_threads(1)
            .memory_budget_per_thread(WRITER_BYTES)
            .build();
        let writer = index.writer_with_options(options)?;
        // Tantivy gives the first operation the number of the last commit, and a merge regards operations up to that number as
        // applied: a deletion with it would be lost. This empty operation uses the number up.
        writer.run([])?;
        let mut policy = LogMergePolicy::default();
        policy.set_del_docs_ratio_before_merge(MAX_DELETED);
        writer.set_merge_policy(Box::new(policy));
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let position = index.load_metas()?.payload.as_deref().and_then(position);
        Ok(Self { folder, writer, reader, position })
    }
}

fn position(payload: &str) -> Option<IndexPosition> {
    let (generation, turn) = payload.split_once(' ')?;
    Some(IndexPosition { generation: generation.parse().ok()?, turn: turn.parse().ok()? })
}

/// The folder of an existing index. A folder with entries that are not this user's files is refused.
fn existing(indexes: &Folder, name: &str) -> io::Result<Option<Folder>> {
    if indexes.stat(name)?.is_none() || indexes.has_file(name).is_ok() {
        return Ok(None);
    }
    let folder = indexes.folder(name)?;
    folder.names_of_own(&[])?;
    Ok(Some(folder))
}

/// Creates an empty index, and removes an existing one.
fn make(indexes: &Folder, name: &str, stop: &Current) -> Result<(Parts, Fields), TantivyError> {
    indexes.remove_all(name)?;
    let folder = indexes.make_folder(name)?;
    let fields = Fields::new();
    let index = tantivy::Index::create(Unsynced::of(folder.clone()), fields.schema.clone(), settings())?;
    tokens::register(index.tokenizers(), stop);
    Ok((Parts::of(folder, &index)?, fields))
}

/// Only names are stored. They are read singly, so blocks are small and uncompressed.
fn settings() -> IndexSettings {
    IndexSettings {
        docstore_compression: Compressor::None,
        docstore_compress_dedicated_thread: false,
        docstore_blocksize: BLOCK_BYTES,
        ..IndexSettings::default()
    }
}

/// Opens an existing index, if it is trusted.
fn trusted(folder: &Folder, stop: &Current) -> Result<Option<(tantivy::Index, Fields)>, TantivyError> {
    let trust = trust_marker::look(folder)?;
    if trust == Trust::None {
        return Ok(None);
    }
    let fields = Fields::new();
    // Corrupt files can make Tantivy panic.
    let opened = catch_unwind(AssertUnwindSafe(|| {
        let index = tantivy::Index::open(Unsynced::of(folder.clone()))?;
        tokens::register(index.tokenizers(), stop);
        let is_whole = trust == Trust::Full || checksum::all_match(folder, &index)?;
        Ok((is_whole && index.schema() == fields.schema).then_some(index))
    }))
    .unwrap_or_else(|_| Err(TantivyError::InternalError("a panic".into())));
    match opened {
        Ok(index) => Ok(index.map(|index| (index, fields))),
        Err(error) => {
            tracing::warn!(%error, "an index can't be opened, and is rebuilt");
            Ok(None)
        }
    }
}

/// Whether the files of a trusted index match their checksums.
pub(super) fn is_intact(indexes: &Folder, name: &str) -> Result<bool, TantivyError> {
    let Some(folder) = existing(indexes, name)? else { return Ok(true) };
    if trust_marker::look(&folder)? == Trust::None {
        return Ok(true);
    }
    // Corrupt files can make Tantivy panic.
    let checked = catch_unwind(AssertUnwindSafe(|| {
        let index = tantivy::Index::open(Unsynced::of(folder.clone()))?;
        checksum::all_match(&folder, &index)
    }));
    Ok(checked.is_ok_and(|is_intact| is_intact.unwrap_or(false)))
}

/// Waits until no other process has the index whose lock files are in the folder of this name.
pub(super) fn lock(indexes: &Folder, name: &str, until: Instant) -> Result<Lock, Error> {
    let failed = |error: io::Error| super::failed(TantivyError::from(error));
    let folder = indexes.make_folder(name).map_err(failed)?;
    let open = |name| folder.change_or_make(name).map_err(failed);
    let (held, waiting) = (open(LOCK)?, open(WAITING)?);
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
                    "another process is using or building the search index and did not release it in time; try again",
                ));
            }
            Err(TryLockError::WouldBlock) => {
                is_waiting = is_waiting || waiting.try_lock_shared().is_ok();
                thread::sleep(RETRY_DELAY);
            }
        }
    }
}
