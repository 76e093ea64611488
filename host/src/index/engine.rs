//! An open index: Tantivy's writer and reader, and the lock that keeps other processes out.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
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
    /// Held while it lives.
    _lock: File,
}

impl Engine {
    /// Opens the index in a folder, or makes an empty one in place of what can't be trusted.
    pub(super) fn open(folder: &Path, lock: File) -> Result<Self, TantivyError> {
        if let Some((index, fields)) = trusted(folder)? {
            match Self::with(folder, &index, fields, &lock) {
                Ok(engine) => return Ok(engine),
                Err(error) => tracing::warn!(%error, "an index is made anew"),
            }
        }
        wipe(folder)?;
        fs::create_dir_all(folder)?;
        let fields = Fields::new();
        let directory = Unsynced::open(folder)?;
        let index = tantivy::Index::create(directory, fields.schema.clone(), IndexSettings::default())?;
        Self::with(folder, &index, fields, &lock)
    }

    fn with(folder: &Path, index: &tantivy::Index, fields: Fields, lock: &File) -> Result<Self, TantivyError> {
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
        Ok(Self { folder: folder.into(), writer, reader, fields, turn, _lock: lock.try_clone()? })
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

/// The index that is there, if it can be trusted.
fn trusted(folder: &Path) -> Result<Option<(tantivy::Index, Fields)>, TantivyError> {
    let trust = mark::look(folder)?;
    if trust == Trust::None {
        return Ok(None);
    }
    let fields = Fields::new();
    let opened = Unsynced::open(folder).map_err(TantivyError::from).and_then(tantivy::Index::open);
    let opened = opened.and_then(|index| {
        let is_whole = trust == Trust::Full || index.validate_checksum()?.is_empty();
        Ok((is_whole && index.schema() == fields.schema).then_some(index))
    });
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
pub(super) fn lock(folder: &Path, until: Instant) -> Result<File, Error> {
    let failed = |error: io::Error| super::failed(TantivyError::from(error));
    fs::create_dir_all(folder).map_err(failed)?;
    loop {
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(folder.join(LOCK));
        let file = options.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                return Err(Error::new(
                    ErrorCode::Busy,
                    "another process uses the search index, and did not give it up",
                ));
            }
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
        }
    }
}
