//! Applies the log of the database to an index.
//!
//! The database is locked for one step at a time, so that other calls are executed between the steps. A change is on
//! disk in the database before the index commits it, so an index never contains a change that was lost in a crash.

use std::time::{Duration, Instant};

use crate::{
    Error, ErrorCode,
    budget::Reservation,
    data::{
        IndexedNamespace, Tables, failed,
        log::{Entry, IndexPosition},
    },
    index::{Index, Indexing, OpenIndex, Problem, Stop, out_of_time},
    workspace::Session,
};

/// How many entries of the log one step reads.
const STEP_ENTRIES: usize = 500;
/// How many bytes of the documents of these entries one step reads.
const READ_BYTES: usize = 4 << 20;
/// How many changes, and how many bytes of documents, one commit of the index contains.
const COMMIT_CHANGES: usize = 20_000;
const COMMIT_BYTES: usize = 8 << 20;
/// Estimated commit time: a fixed part, and a part per MiB of documents. The update commits this long before the
/// deadline.
const COMMIT_TIME: Duration = Duration::from_millis(30);
const COMMIT_TIME_MEBIBYTE: Duration = Duration::from_millis(200);
/// How many bytes of memory each byte of a document takes until the commit: for itself, its values, and Tantivy's
/// tables.
const MEMORY_FOR_BYTE: usize = 5;

pub(super) struct Update<'u> {
    index: &'u Index,
    open_index: &'u mut OpenIndex,
    session: &'u mut Session,
    namespace: IndexedNamespace,
    /// The index was empty when the update began, so `index_collection` need not delete old documents.
    is_new: bool,
    position: IndexPosition,
    /// The rows of the log that were applied since the last commit of the index.
    rows: Vec<Vec<u8>>,
    /// The collection that is being indexed, and the last indexed key, `None` when the collection is complete.
    collection_progress: Option<(String, Option<String>)>,
    /// How many documents were indexed or deleted since the last commit of the index.
    changed_documents: usize,
    /// The size of these documents.
    bytes: usize,
    /// The size of the index's files, for a run with a disk quota.
    size: u64,
    /// The memory for these documents.
    memory: Reservation,
    stop: Stop,
}

/// The effect of an entry on the index.
enum Change {
    /// Deletes the documents of the collection with this number.
    DeleteCollection(u64),
    Put {
        collection_number: u64,
        collection: String,
        key: String,
        json: String,
    },
    Delete {
        collection: String,
        key: String,
    },
    /// Indexes the documents of a collection after a key.
    IndexCollection {
        collection: String,
        after: String,
    },
}

impl<'u> Update<'u> {
    pub(super) fn new(
        index: &'u Index,
        open_index: &'u mut OpenIndex,
        session: &'u mut Session,
        namespace: IndexedNamespace,
    ) -> Self {
        let (is_new, stop) = (open_index.position().is_none(), session.stop());
        open_index.stop_when(&stop);
        let (position, memory) = (IndexPosition { generation: 0, turn: 0 }, session.budget().reservation());
        let (rows, collection_progress, changed_documents, bytes, size) = Default::default();
        Self {
            index,
            open_index,
            session,
            namespace,
            is_new,
            position,
            rows,
            collection_progress,
            changed_documents,
            bytes,
            size,
            memory,
            stop,
        }
    }

    pub(super) fn run(mut self) -> Result<(), Problem> {
        let namespace = self.namespace;
        if self.session.call(|tables| tables.source(namespace).log().is_empty().map_err(failed))? {
            return Ok(());
        }
        // Fails if the quota is already exceeded.
        self.session.spend(0)?;
        self.size = if self.session.has_disk_quota() { self.index.bytes()? } else { 0 };
        self.position = self.session.call(|tables| Ok(tables.source(namespace).log().begin()))?;
        let total = self.session.call(|tables| total(tables, namespace))?;
        self.index.report(Indexing::Begun(total));
        let mut last = Vec::new();
        loop {
            let changes = self.session.call(|tables| changes(tables, namespace, &last))?;
            let Some((row, _)) = changes.last() else { break };
            last.clone_from(row);
            for (row, change) in changes {
                self.apply(row, change)?;
                self.commit_if_full()?;
            }
        }
        self.commit()
    }

    fn apply(&mut self, row: Vec<u8>, change: Change) -> Result<(), Problem> {
        match change {
            Change::DeleteCollection(number) => self.open_index.delete_collection(number)?,
            Change::Put { collection_number, collection, key, json } => {
                self.make_room(json.len())?;
                self.open_index.put(&collection, collection_number, &key, &json)?;
            }
            Change::Delete { collection, key } => self.open_index.delete(&collection, &key)?,
            Change::IndexCollection { collection, after } => return self.index_collection(collection, after),
        }
        self.stop.check()?;
        self.changed_documents += 1;
        self.rows.push(row);
        Ok(())
    }

    /// Commits the earlier documents if the time or the memory would not suffice for them and a document of this size.
    /// Must be called before the document is indexed.
    fn make_room(&mut self, bytes: usize) -> Result<(), Problem> {
        let is_late = Instant::now() + commit_time(self.bytes + bytes) > self.session.deadline();
        if is_late || self.bytes + bytes > COMMIT_BYTES || !self.memory.grow(bytes * MEMORY_FOR_BYTE) {
            self.commit()?;
            self.memory = self.session.budget().reservation();
            self.stop.check()?;
            if !self.memory.grow(bytes * MEMORY_FOR_BYTE) {
                return Err(no_memory(bytes).into());
            }
        }
        self.bytes += bytes;
        Ok(())
    }

    /// Indexes a collection in steps. All collections are indexed before changes of single documents are applied, so a
    /// new index has none of these documents yet.
    fn index_collection(&mut self, collection: String, mut after: String) -> Result<(), Problem> {
        let namespace = self.namespace;
        loop {
            let step =
                self.session.call(|tables| tables.source(namespace).step(&collection, &after).map_err(failed))?;
            let Some(step) = step.filter(|step| !step.documents.is_empty()) else { break };
            for (key, json) in step.documents {
                self.make_room(json.len())?;
                match self.is_new {
                    true => self.open_index.add(&collection, step.number, &key, &json)?,
                    false => self.open_index.put(&collection, step.number, &key, &json)?,
                }
                self.stop.check()?;
                self.changed_documents += 1;
                after.clone_from(&key);
                self.collection_progress = Some((collection.clone(), Some(key)));
                self.commit_if_full()?;
            }
        }
        self.collection_progress = Some((collection, None));
        self.commit()
    }

    /// Commits when many documents were indexed or deleted. Fails when the run's time is over or the program is
    /// interrupted.
    fn commit_if_full(&mut self) -> Result<(), Problem> {
        if self.changed_documents >= COMMIT_CHANGES || self.bytes >= COMMIT_BYTES {
            self.commit()?;
        }
        Ok(self.session.check_may_continue(out_of_time)?)
    }

    /// Commits the database, then the index, and then removes the applied entries from the log.
    fn commit(&mut self) -> Result<(), Problem> {
        if self.rows.is_empty() && self.collection_progress.is_none() {
            return Ok(());
        }
        self.session.save()?;
        if !self.open_index.commit(self.position)? {
            return Err(out_of_time().into());
        }
        let (turn, namespace) = (self.position.turn, self.namespace);
        for rows in std::mem::take(&mut self.rows).chunks(STEP_ENTRIES) {
            self.session.call(|tables| tables.source(namespace).log().remove(turn, rows).map_err(failed))?;
        }
        if let Some((collection, up_to)) = self.collection_progress.take() {
            self.session.call(|tables| {
                tables.source(namespace).log().record_progress(turn, &collection, up_to.as_deref()).map_err(failed)
            })?;
        }
        self.bytes = 0;
        self.index.report(Indexing::Progress(std::mem::take(&mut self.changed_documents) as u64));
        self.count_growth()
    }

    /// Counts the growth of the index's files against the run's disk quota. No other run changes them meanwhile.
    fn count_growth(&mut self) -> Result<(), Problem> {
        if !self.session.has_disk_quota() {
            return Ok(());
        }
        let before = std::mem::replace(&mut self.size, self.index.bytes()?);
        Ok(self.session.spend(self.size.saturating_sub(before))?)
    }
}

/// Returns the estimated duration of a commit with this many bytes of documents.
fn commit_time(bytes: usize) -> Duration {
    COMMIT_TIME + COMMIT_TIME_MEBIBYTE.mul_f64(bytes as f64 / f64::from(1 << 20))
}

fn no_memory(bytes: usize) -> Error {
    let needed = (bytes * MEMORY_FOR_BYTE) >> 20;
    let message = format!("indexing a document of {bytes} bytes needs {needed} MiB of memory; the run has less left");
    Error::new(ErrorCode::Limit, message)
}

/// Returns about how many documents have to be indexed.
fn total(tables: &mut Tables<'_>, namespace: IndexedNamespace) -> Result<u64, Error> {
    let mut total = tables.source(namespace).log().changes().map_err(failed)?;
    for (collection, _) in tables.source(namespace).log().unread().map_err(failed)? {
        total += tables.source(namespace).count(&collection).map_err(failed)?;
    }
    Ok(total)
}

/// Returns the changes that are logged after a row, with the current documents.
fn changes(tables: &mut Tables<'_>, namespace: IndexedNamespace, last: &[u8]) -> Result<Vec<(Vec<u8>, Change)>, Error> {
    let entries = tables.source(namespace).log().entries(last, STEP_ENTRIES).map_err(failed)?;
    let (mut changes, mut bytes) = (Vec::new(), 0);
    for (row, entry) in entries {
        let change = change(tables, namespace, entry)?;
        bytes += if let Change::Put { json, .. } = &change { json.len() } else { 0 };
        changes.push((row, change));
        if bytes >= READ_BYTES {
            break;
        }
    }
    Ok(changes)
}

fn change(tables: &mut Tables<'_>, namespace: IndexedNamespace, entry: Entry) -> Result<Change, Error> {
    Ok(match entry {
        Entry::Cleared(number) => Change::DeleteCollection(number),
        Entry::Unread { collection, after } => Change::IndexCollection { collection, after },
        Entry::Changed { collection, key } => {
            match tables.source(namespace).document(&collection, &key).map_err(failed)? {
                Some((collection_number, json)) => Change::Put { collection_number, collection, key, json },
                None => Change::Delete { collection, key },
            }
        }
    })
}
