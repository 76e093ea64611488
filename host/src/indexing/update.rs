//! Applies the log of the database to an index.
//!
//! The database is locked for one step at a time, so that other calls are executed between the steps. A change is on disk
//! in the database before the index commits it, so an index never contains a change that was lost in a crash.

use std::time::{Duration, Instant};

use super::Problem;
use crate::{
    Error, ErrorCode,
    budget::Reservation,
    data::{
        Indexed, Tables, failed,
        log::{Entry, Point},
    },
    index::{Index, Indexing, OpenIndex, Stop, out_of_time},
    workspace::Session,
};

/// How many entries one step reads.
const STEP_ENTRIES: usize = 500;
/// How many bytes of documents one step reads.
const READ_BYTES: usize = 4 << 20;
/// How many documents, and how many bytes of them, one commit of the index contains.
const COMMIT_DOCUMENTS: usize = 20_000;
const COMMIT_BYTES: usize = 8 << 20;
/// An upper bound of the duration of a commit: in itself, and for each MiB of documents. This long before the end of a run's
/// time, the update commits.
const COMMIT_TIME: Duration = Duration::from_millis(30);
const COMMIT_TIME_MEBIBYTE: Duration = Duration::from_millis(200);
/// How many bytes of memory each byte of a document takes until the commit: for itself, its values, and Tantivy's tables.
const MEMORY_FOR_BYTE: usize = 5;

pub(super) struct Update<'u> {
    index: &'u Index,
    open_index: &'u mut OpenIndex,
    session: &'u mut Session,
    indexed: Indexed,
    /// The index is empty, so adding a document need not delete an old one.
    is_new: bool,
    point: Point,
    /// The rows of the log that were applied since the last commit of the index.
    rows: Vec<Vec<u8>>,
    /// The collection that is being read, and the last key; no key at its end.
    read: Option<(String, Option<String>)>,
    /// How many documents were indexed since then.
    indexed_documents: usize,
    bytes: usize,
    /// The size of the index's files, for a run with a disk quota.
    size: u64,
    /// The memory for the documents since then.
    memory: Reservation,
    stop: Stop,
}

/// The effect of an entry on the index.
enum Change {
    Clear(u64),
    Put(u64, String, String, String),
    Delete(String, String),
    Read(String, String),
}

impl<'u> Update<'u> {
    pub(super) fn new(
        index: &'u Index,
        open_index: &'u mut OpenIndex,
        session: &'u mut Session,
        indexed: Indexed,
    ) -> Self {
        let (is_new, stop) = (open_index.point().is_none(), session.stop());
        open_index.heed(&stop);
        let (point, memory) = (Point { generation: 0, turn: 0 }, session.budget().reservation());
        let (rows, read, indexed_documents, bytes, size) = Default::default();
        Self {
            index,
            open_index,
            session,
            indexed,
            is_new,
            point,
            rows,
            read,
            indexed_documents,
            bytes,
            size,
            memory,
            stop,
        }
    }

    pub(super) fn run(mut self) -> Result<(), Problem> {
        let indexed = self.indexed;
        if self.session.call(|tables| tables.source(indexed).log().is_empty().map_err(failed))? {
            return Ok(());
        }
        self.session.spend(0)?;
        self.size = if self.session.is_limited() { self.index.bytes()? } else { 0 };
        self.point = self.session.call(|tables| Ok(tables.source(indexed).log().begin()))?;
        let total = self.session.call(|tables| total(tables, indexed))?;
        self.index.tell(Indexing::Begun(total));
        let mut last = Vec::new();
        loop {
            let changes = self.session.call(|tables| changes(tables, indexed, &last))?;
            let Some((row, _)) = changes.last() else { break };
            last.clone_from(row);
            for (row, change) in changes {
                self.apply(row, change)?;
                self.end_step()?;
            }
        }
        self.commit()
    }

    fn apply(&mut self, row: Vec<u8>, change: Change) -> Result<(), Problem> {
        match change {
            Change::Clear(number) => self.open_index.delete_collection(number)?,
            Change::Put(number, collection, key, json) => {
                self.make_room(json.len())?;
                self.open_index.put(&collection, number, &key, &json)?;
            }
            Change::Delete(collection, key) => self.open_index.delete(&collection, &key)?,
            Change::Read(collection, after) => return self.read(collection, after),
        }
        self.stop.check()?;
        self.indexed_documents += 1;
        self.rows.push(row);
        Ok(())
    }

    /// To be called before a document of this size is indexed: commits the earlier ones when there would not be enough time
    /// or memory for both.
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

    /// Indexes a collection in steps. All collections are read before changes of single documents are applied, so a new
    /// index has none of these documents yet.
    fn read(&mut self, collection: String, mut after: String) -> Result<(), Problem> {
        let indexed = self.indexed;
        loop {
            let step = self.session.call(|tables| tables.source(indexed).step(&collection, &after).map_err(failed))?;
            let Some(step) = step.filter(|step| !step.documents.is_empty()) else { break };
            for (key, json) in step.documents {
                self.make_room(json.len())?;
                match self.is_new {
                    true => self.open_index.add(&collection, step.number, &key, &json)?,
                    false => self.open_index.put(&collection, step.number, &key, &json)?,
                }
                self.stop.check()?;
                self.indexed_documents += 1;
                after.clone_from(&key);
                self.read = Some((collection.clone(), Some(key)));
                self.end_step()?;
            }
        }
        self.read = Some((collection, None));
        self.commit()
    }

    /// Commits when much was indexed. Fails when the program is interrupted.
    fn end_step(&mut self) -> Result<(), Problem> {
        if self.indexed_documents >= COMMIT_DOCUMENTS || self.bytes >= COMMIT_BYTES {
            self.commit()?;
        }
        Ok(self.session.check_may_continue(out_of_time)?)
    }

    /// Commits the database, then the index, and then removes the applied entries from the log.
    fn commit(&mut self) -> Result<(), Problem> {
        if self.rows.is_empty() && self.read.is_none() {
            return Ok(());
        }
        self.session.save()?;
        if !self.open_index.commit(self.point)? {
            return Err(out_of_time().into());
        }
        let (turn, indexed) = (self.point.turn, self.indexed);
        for rows in std::mem::take(&mut self.rows).chunks(STEP_ENTRIES) {
            self.session.call(|tables| tables.source(indexed).log().remove(turn, rows).map_err(failed))?;
        }
        if let Some((collection, up_to)) = self.read.take() {
            self.session.call(|tables| {
                tables.source(indexed).log().read(turn, &collection, up_to.as_deref()).map_err(failed)
            })?;
        }
        self.bytes = 0;
        self.index.tell(Indexing::TookIn(std::mem::take(&mut self.indexed_documents) as u64));
        self.count_growth()
    }

    /// Counts the growth of the index's files against the run's disk quota. No other run changes them meanwhile.
    fn count_growth(&mut self) -> Result<(), Problem> {
        if !self.session.is_limited() {
            return Ok(());
        }
        let before = std::mem::replace(&mut self.size, self.index.bytes()?);
        Ok(self.session.spend(self.size.saturating_sub(before))?)
    }
}

/// An upper bound of the duration of a commit with this many bytes of documents.
fn commit_time(bytes: usize) -> Duration {
    COMMIT_TIME + COMMIT_TIME_MEBIBYTE.mul_f64(bytes as f64 / f64::from(1 << 20))
}

fn no_memory(bytes: usize) -> Error {
    let needed = (bytes * MEMORY_FOR_BYTE) >> 20;
    let message = format!("indexing a document of {bytes} bytes needs {needed} MiB of memory; the run has less left");
    Error::new(ErrorCode::Limit, message)
}

/// About how many documents have to be indexed.
fn total(tables: &mut Tables<'_>, indexed: Indexed) -> Result<u64, Error> {
    let mut total = tables.source(indexed).log().changes().map_err(failed)?;
    for (collection, _) in tables.source(indexed).log().unread().map_err(failed)? {
        total += tables.source(indexed).count(&collection).map_err(failed)?;
    }
    Ok(total)
}

/// The changes that are logged after a row, with the current documents.
fn changes(tables: &mut Tables<'_>, indexed: Indexed, last: &[u8]) -> Result<Vec<(Vec<u8>, Change)>, Error> {
    let entries = tables.source(indexed).log().entries(last, STEP_ENTRIES).map_err(failed)?;
    let (mut changes, mut bytes) = (Vec::new(), 0);
    for (row, entry) in entries {
        let change = change(tables, indexed, entry)?;
        bytes += if let Change::Put(_, _, _, json) = &change { json.len() } else { 0 };
        changes.push((row, change));
        if bytes >= READ_BYTES {
            break;
        }
    }
    Ok(changes)
}

fn change(tables: &mut Tables<'_>, indexed: Indexed, entry: Entry) -> Result<Change, Error> {
    Ok(match entry {
        Entry::Cleared(number) => Change::Clear(number),
        Entry::Unread { collection, after } => Change::Read(collection, after),
        Entry::Changed { collection, key } => {
            match tables.source(indexed).document(&collection, &key).map_err(failed)? {
                Some((number, json)) => Change::Put(number, collection, key, json),
                None => Change::Delete(collection, key),
            }
        }
    })
}
