//! An open index: Tantivy's writer and reader, and the lock that keeps other processes out.

use std::{
    fs::{File, TryLockError},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
    time::{Duration, Instant},
};

use tantivy::{
    IndexReader, IndexSettings, IndexWriter, ReloadPolicy, Searcher, TantivyError, Term,
    indexer::{IndexWriterOptions, LogMergePolicy},
    store::Compressor,
};

use super::{
    checksum,
    directory::Unsynced,
    few::Few,
    flat::Flat,
    log::Point,
    mark::{self, Trust},
    schema::{Fields, id},
    stop::{Current, Stop},
    tokens,
};
use crate::{Error, ErrorCode, folder::Folder};

/// Beside the folder, so that the folder can be made anew under it.
const LOCK: &str = "lock";
const WAITING: &str = "waiting";
/// How much the writer gathers before it writes a segment.
const MEMORY: usize = 32 << 20;
/// How many bytes of names are read together.
const BLOCK: usize = 1 << 10;
/// The part of deleted documents from which on a segment is written anew.
const DELETED: f32 = 0.25;
/// From here on it is cheaper to sync an index when it is closed than to make it anew after a restart of the system.
const WORTH_SYNCING: u64 = 10_000;
const PAUSE: Duration = Duration::from_millis(1);

pub(super) struct Engine {
    folder: Folder,
    pub(super) writer: IndexWriter<Flat>,
    reader: IndexReader,
    fields: Fields,
    /// When documents are left undone that are being taken in.
    stop: Current,
    few: Few,
    /// Since the last commit there were many documents, which the writer has.
    has_many: bool,
    /// What of the log it has taken in.
    point: Option<Point>,
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
    /// Opens the index in the folder of this name, or makes an empty one in place of what can't be trusted.
    pub(super) fn open(indexes: &Folder, name: &str, lock: Lock) -> Result<Self, TantivyError> {
        let stop = Current::default();
        let trusted = match existing(indexes, name)? {
            Some(folder) => trusted(&folder, &stop)?.map(|(index, fields)| (folder, index, fields)),
            None => None,
        };
        let parts = trusted.and_then(|(folder, index, fields)| match Parts::of(folder, &index) {
            Ok(parts) => Some((parts, fields)),
            Err(error) => {
                tracing::warn!(%error, "an index is made anew");
                None
            }
        });
        let (parts, fields) = parts.map_or_else(|| make(indexes, name, &stop), Ok)?;
        let Parts { folder, writer, reader, point } = parts;
        Ok(Self { folder, writer, reader, fields, stop, few: Few::default(), has_many: false, point, lock })
    }

    /// From here on, work is left undone when this says so.
    pub(super) fn heed(&self, stop: &Stop) {
        self.stop.set(stop.clone());
    }

    /// Whether another process waits for the index.
    pub(super) fn is_wanted(&self) -> bool {
        self.lock.is_wanted()
    }

    /// What of the log it has taken in; none for an empty one.
    pub(super) fn point(&self) -> Option<Point> {
        self.point
    }

    pub(super) fn fields(&self) -> &Fields {
        &self.fields
    }

    /// Whether it holds no document, not even a deleted one.
    pub(super) fn is_empty(&self) -> bool {
        self.reader.searcher().segment_readers().is_empty()
    }

    pub(super) fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }

    /// Puts a document in place of the one with its names.
    pub(super) fn put(&mut self, collection: &str, number: u64, key: &str, json: &str) -> Result<(), TantivyError> {
        self.delete(collection, key)?;
        self.add(collection, number, key, json)
    }

    /// Puts a document where there is none with its names. Told to stop, it does so half-way: then there is no commit.
    pub(super) fn add(&mut self, collection: &str, number: u64, key: &str, json: &str) -> Result<(), TantivyError> {
        let stop = self.stop.get();
        let Some(document) = Flat::of(&self.fields, collection, number, key, json, &stop) else { return Ok(()) };
        if self.has_many {
            return self.writer.add_document(document).map(drop);
        }
        self.few.put(id(collection, key), number, document);
        if self.few.are_many() {
            self.has_many = true;
            for document in self.few.take() {
                self.writer.add_document(document)?;
            }
        }
        Ok(())
    }

    pub(super) fn delete(&mut self, collection: &str, key: &str) -> Result<(), TantivyError> {
        self.few.delete(&id(collection, key));
        self.delete_others(self.fields.id_term(collection, key))
    }

    pub(super) fn delete_collection(&mut self, number: u64) -> Result<(), TantivyError> {
        self.few.delete_collection(number);
        self.delete_others(Term::from_field_u64(self.fields.collection, number))
    }

    fn delete_others(&mut self, term: Term) -> Result<(), TantivyError> {
        // Without a segment there is nothing to delete, and Tantivy would keep the deletion for the first one to come.
        if !self.has_many && self.is_empty() {
            return Ok(());
        }
        let others = self.few.others(&self.writer, term);
        self.writer.delete_query(others).map(drop)
    }

    /// Makes what was put and deleted visible; it is taken in up to this point. False when it was told to stop before: then
    /// the engine holds documents half-way, and is to be given up.
    pub(super) fn commit(&mut self, point: Point) -> Result<bool, TantivyError> {
        let stop = self.stop.get();
        if stop.is_cut() {
            return Ok(false);
        }
        self.few.finish(&self.writer)?;
        self.has_many = false;
        // The documents that were handed over are taken in here, if not before.
        let mut commit = self.writer.prepare_commit()?;
        if stop.is_cut() {
            return Ok(false);
        }
        commit.set_payload(&format!("{} {}", point.generation, point.turn));
        commit.commit()?;
        self.point = Some(point);
        self.reader.reload()?;
        Ok(true)
    }

    /// Waits for merges that are under way, and leaves the index to be trusted.
    pub(super) fn close(self) -> Result<(), TantivyError> {
        let is_worth_syncing = self.reader.searcher().num_docs() >= WORTH_SYNCING;
        self.writer.wait_merging_threads()?;
        drop(self.reader);
        Ok(mark::closed(&self.folder, is_worth_syncing)?)
    }
}

impl Engine {
    /// Gives up what was not committed. Waits for merges that are under way, so that nobody writes into the folder any more who
    /// has not the lock, which is given back. Where the writer had failed, Tantivy does not wait: what it then still writes is not
    /// of the index's commit, which is noticed when the index is opened.
    pub(super) fn abandon(self) -> Lock {
        let Self { writer, reader, lock, .. } = self;
        // Damaged files can make Tantivy panic.
        let stopped = catch_unwind(AssertUnwindSafe(|| {
            drop(reader);
            writer.wait_merging_threads()
        }));
        if !matches!(stopped, Ok(Ok(()))) {
            tracing::debug!("the threads of an index that is given up had failed");
        }
        lock
    }
}

/// What an index is worked with.
struct Parts {
    folder: Folder,
    writer: IndexWriter<Flat>,
    reader: IndexReader,
    point: Option<Point>,
}

impl Parts {
    fn of(folder: Folder, index: &tantivy::Index) -> Result<Self, TantivyError> {
        mark::opened(&folder)?;
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1)
            .num_merge_threads(1)
            .memory_budget_per_thread(MEMORY)
            .build();
        let writer = index.writer_with_options(options)?;
        // Tantivy numbers the first operation like the last commit. A merge takes the segments up to that number, and those that
        // the commit changed for being there already: a deletion with it would be lost.
        writer.run([])?;
        let mut policy = LogMergePolicy::default();
        policy.set_del_docs_ratio_before_merge(DELETED);
        writer.set_merge_policy(Box::new(policy));
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let point = index.load_metas()?.payload.as_deref().and_then(point);
        Ok(Self { folder, writer, reader, point })
    }
}

fn point(payload: &str) -> Option<Point> {
    let (generation, turn) = payload.split_once(' ')?;
    Some(Point { generation: generation.parse().ok()?, turn: turn.parse().ok()? })
}

/// The folder of an index that is there. One with entries that are not the user's own files is refused.
fn existing(indexes: &Folder, name: &str) -> io::Result<Option<Folder>> {
    if indexes.stat(name)?.is_none() || indexes.has_file(name).is_ok() {
        return Ok(None);
    }
    let folder = indexes.folder(name)?;
    folder.names_of_own(&[])?;
    Ok(Some(folder))
}

/// An empty index in place of what there is.
fn make(indexes: &Folder, name: &str, stop: &Current) -> Result<(Parts, Fields), TantivyError> {
    indexes.remove_all(name)?;
    let folder = indexes.make_folder(name)?;
    let fields = Fields::new();
    let index = tantivy::Index::create(Unsynced::of(folder.clone()), fields.schema.clone(), settings())?;
    tokens::register(index.tokenizers(), stop);
    Ok((Parts::of(folder, &index)?, fields))
}

/// Only names are stored, and read one here, one there: in small blocks that need not be unpacked.
fn settings() -> IndexSettings {
    IndexSettings {
        docstore_compression: Compressor::None,
        docstore_compress_dedicated_thread: false,
        docstore_blocksize: BLOCK,
        ..IndexSettings::default()
    }
}

/// The index that is there, if it can be trusted.
fn trusted(folder: &Folder, stop: &Current) -> Result<Option<(tantivy::Index, Fields)>, TantivyError> {
    let trust = mark::look(folder)?;
    if trust == Trust::None {
        return Ok(None);
    }
    let fields = Fields::new();
    // Damaged files can make Tantivy panic.
    let opened = catch_unwind(AssertUnwindSafe(|| {
        let index = tantivy::Index::open(Unsynced::of(folder.clone()))?;
        tokens::register(index.tokenizers(), stop);
        let is_whole = trust == Trust::Full || checksum::hold(folder, &index)?;
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

/// Waits until no other process has the index whose lock is the folder of this name.
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
                thread::sleep(PAUSE);
            }
        }
    }
}
