//! Taking in what the log holds.
//!
//! The database is only held for a moment at a time, so that other calls have their turn. What was taken in is on disk in
//! the database before the index tells of it: an index never knows of what a crash took back.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use tantivy::TantivyError;

use super::{
    Engine, Index, Indexing, Source, View, failed,
    log::{Entry, Point},
    out_of_time,
    stop::Stop,
};
use crate::{
    Error, ErrorCode,
    budget::Kept,
    workspace::{self, Session, Tables},
};

/// How many entries are read at a time.
const ENTRIES: usize = 500;
/// How many bytes of documents are read at a time.
const BYTES: usize = 4 << 20;
/// How many documents, and how many bytes of them, are taken in until it is kept what was.
const STEP: usize = 20_000;
const STEP_BYTES: usize = 8 << 20;
/// More than it takes to keep what was taken in: for itself, and for each MiB of documents. So much before the end of a
/// run's time no more is taken in, and what was is kept.
const KEEPING: Duration = Duration::from_millis(30);
const KEEPING_MEBIBYTE: Duration = Duration::from_millis(200);
/// How much memory is taken for each byte of a document until it is kept: for itself, its values, and the index's tables.
const MEMORY_FOR_BYTE: usize = 5;

/// Why an index is not up to date.
enum Trouble {
    /// The call fails.
    Call(Error),
    /// The index fails, and is made anew.
    Index(TantivyError),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Call(error)
    }
}

impl From<TantivyError> for Trouble {
    fn from(error: TantivyError) -> Self {
        Self::Index(error)
    }
}

impl Index {
    /// The index with all that was logged so far, by any process.
    pub(crate) fn up_to_date(&self, session: &mut Session, source: &Source) -> Result<View, Error> {
        // It is opened, or made, before there is an index in it.
        session.call(|_| Ok(()))?;
        let mut slot = self.slot_until(session.deadline())?;
        let first = self.update(&mut slot, session, source);
        let updated = match first {
            Err(Trouble::Index(error)) => {
                tracing::warn!(%error, "an index failed, and is made anew");
                self.make_anew(&mut slot)?;
                self.update(&mut slot, session, source)
            }
            other => other,
        };
        if updated.is_err() {
            // What it was fed and has not kept may be what the database has lost, or a part of a document.
            self.abandon_soon(&mut slot);
        }
        self.tell(Indexing::Ended);
        self.give_way(&mut slot);
        match updated {
            Ok(view) => Ok(view),
            Err(Trouble::Call(error)) => Err(error),
            Err(Trouble::Index(error)) => Err(failed(error)),
        }
    }

    /// Makes the index anew from the documents.
    pub(crate) fn rebuild(&self, session: &mut Session, source: &Source) -> Result<View, Error> {
        session.call(|_| Ok(()))?;
        {
            let mut slot = self.slot_until(session.deadline())?;
            self.opened(&mut slot, session.deadline())?;
            self.make_anew(&mut slot)?;
        }
        session.call(|tables| restart(tables, source))?;
        self.up_to_date(session, source)
    }

    /// Removes what there is, under the lock of the engine.
    fn make_anew(&self, slot: &mut Option<Engine>) -> Result<(), Error> {
        let _lock = slot.take().map(Engine::abandon);
        let wiped = self.indexes().and_then(|indexes| indexes.remove_all(self.name));
        wiped.map_err(|error| failed(error.into()))
    }

    fn update(&self, slot: &mut Option<Engine>, session: &mut Session, source: &Source) -> Result<View, Trouble> {
        // Damaged files can make Tantivy panic.
        catch_unwind(AssertUnwindSafe(|| self.try_update(slot, session, source)))
            .unwrap_or_else(|_| Err(Trouble::Index(TantivyError::InternalError("a panic".into()))))
    }

    fn try_update(&self, slot: &mut Option<Engine>, session: &mut Session, source: &Source) -> Result<View, Trouble> {
        let engine = self.opened(slot, session.deadline())?;
        let (point, is_new) = (engine.point(), engine.point().is_none() && engine.is_empty());
        if !session.call(|tables| Ok((source.log)(tables).knows(point)))? {
            if !is_new {
                self.make_anew(slot)?;
            }
            session.call(|tables| restart(tables, source))?;
        }
        let engine = self.opened(slot, session.deadline())?;
        Update::new(self, engine, session, source).run()?;
        // Meanwhile others may have changed more than it was worth to log.
        let point = engine.point();
        if point.is_some() && !session.call(|tables| Ok((source.log)(tables).knows(point)))? {
            return Err(Trouble::Index(TantivyError::InternalError("its log was given up".into())));
        }
        Ok(View { searcher: engine.searcher(), fields: engine.fields().clone() })
    }
}

/// All documents are to be read.
fn restart(tables: &mut Tables<'_>, source: &Source) -> Result<(), Error> {
    let collections = (source.collections)(tables)?;
    (source.log)(tables).begin_anew(&collections).map_err(workspace::failed)
}

struct Update<'u> {
    index: &'u Index,
    engine: &'u mut Engine,
    session: &'u mut Session,
    source: &'u Source,
    /// Nothing was ever put into the index, so nothing need be deleted before a document is added.
    is_new: bool,
    point: Point,
    /// The rows of the log that were taken in since the last commit of the index.
    rows: Vec<Vec<u8>>,
    /// The collection that is being read, and the last key that was; none at its end.
    read: Option<(String, Option<String>)>,
    /// How many documents were taken in since then.
    taken: usize,
    bytes: usize,
    /// How large the files of the index were, where what the run adds is limited.
    size: u64,
    /// The memory for them.
    memory: Kept,
    stop: Stop,
}

/// What is to be done for an entry.
enum Change {
    Clear(u64),
    Put(u64, String, String, String),
    Delete(String, String),
    Read(String, String),
}

impl<'u> Update<'u> {
    fn new(index: &'u Index, engine: &'u mut Engine, session: &'u mut Session, source: &'u Source) -> Self {
        let (is_new, stop) = (engine.point().is_none(), Stop::of(session));
        engine.heed(&stop);
        let (point, memory) = (Point { generation: 0, turn: 0 }, session.budget().kept());
        let (rows, read, taken, bytes, size) = Default::default();
        Self { index, engine, session, source, is_new, point, rows, read, taken, bytes, size, memory, stop }
    }

    fn run(mut self) -> Result<(), Trouble> {
        let source = self.source;
        if self.session.call(|tables| (source.log)(tables).is_empty().map_err(workspace::failed))? {
            return Ok(());
        }
        self.session.spend(0)?;
        self.size = if self.session.is_limited() { self.index.bytes()? } else { 0 };
        self.point = self.session.call(|tables| Ok((source.log)(tables).begin()))?;
        let total = self.session.call(|tables| total(tables, source))?;
        self.index.tell(Indexing::Begun(total));
        let mut last = Vec::new();
        loop {
            let changes = self.session.call(|tables| changes(tables, source, &last))?;
            let Some((row, _)) = changes.last() else { break };
            last.clone_from(row);
            for (row, change) in changes {
                self.take(row, change)?;
                self.end_step()?;
            }
        }
        self.keep()
    }

    fn take(&mut self, row: Vec<u8>, change: Change) -> Result<(), Trouble> {
        match change {
            Change::Clear(number) => self.engine.delete_collection(number)?,
            Change::Put(number, collection, key, json) => {
                self.make_room(json.len())?;
                self.engine.put(&collection, number, &key, &json)?;
            }
            Change::Delete(collection, key) => self.engine.delete(&collection, &key)?,
            Change::Read(collection, after) => return self.read(collection, after),
        }
        self.stop.check()?;
        self.taken += 1;
        self.rows.push(row);
        Ok(())
    }

    /// Before a document of so many bytes is taken in: keeps what was taken in before when there would not be time, or
    /// memory, for both.
    fn make_room(&mut self, bytes: usize) -> Result<(), Trouble> {
        let is_late = Instant::now() + keeping(self.bytes + bytes) > self.session.deadline();
        if is_late || self.bytes + bytes > STEP_BYTES || !self.memory.grow(bytes * MEMORY_FOR_BYTE) {
            self.keep()?;
            self.memory = self.session.budget().kept();
            self.stop.check()?;
            if !self.memory.grow(bytes * MEMORY_FOR_BYTE) {
                return Err(no_memory(bytes).into());
            }
        }
        self.bytes += bytes;
        Ok(())
    }

    /// Takes in a collection, a step at a time. All collections are read before what is logged of single documents is
    /// taken in: so a new index has none of them yet.
    fn read(&mut self, collection: String, mut after: String) -> Result<(), Trouble> {
        let source = self.source;
        loop {
            let step = self.session.call(|tables| (source.step)(tables, &collection, &after))?;
            let Some(step) = step.filter(|step| !step.documents.is_empty()) else { break };
            for (key, json) in step.documents {
                self.make_room(json.len())?;
                match self.is_new {
                    true => self.engine.add(&collection, step.number, &key, &json)?,
                    false => self.engine.put(&collection, step.number, &key, &json)?,
                }
                self.stop.check()?;
                self.taken += 1;
                after.clone_from(&key);
                self.read = Some((collection.clone(), Some(key)));
                self.end_step()?;
            }
        }
        self.read = Some((collection, None));
        self.keep()
    }

    /// Keeps what was taken in, if it is much or the program is told to end.
    fn end_step(&mut self) -> Result<(), Trouble> {
        if self.taken >= STEP || self.bytes >= STEP_BYTES {
            self.keep()?;
        }
        Ok(self.session.go_on(out_of_time)?)
    }

    /// Keeps what was taken in: first in the database, then in the index; then the log need not hold it any longer.
    fn keep(&mut self) -> Result<(), Trouble> {
        if self.rows.is_empty() && self.read.is_none() {
            return Ok(());
        }
        self.session.save()?;
        if !self.engine.commit(self.point)? {
            return Err(out_of_time().into());
        }
        let (turn, source) = (self.point.turn, self.source);
        for rows in std::mem::take(&mut self.rows).chunks(ENTRIES) {
            self.session.call(|tables| (source.log)(tables).remove(turn, rows).map_err(workspace::failed))?;
        }
        if let Some((collection, up_to)) = self.read.take() {
            self.session.call(|tables| {
                (source.log)(tables).read(turn, &collection, up_to.as_deref()).map_err(workspace::failed)
            })?;
        }
        self.bytes = 0;
        self.index.tell(Indexing::TookIn(std::mem::take(&mut self.taken) as u64));
        self.count_growth()
    }

    /// Counts how much the files of the index have grown as what the run adds to the workspace: nobody else changes them
    /// meanwhile.
    fn count_growth(&mut self) -> Result<(), Trouble> {
        if !self.session.is_limited() {
            return Ok(());
        }
        let before = std::mem::replace(&mut self.size, self.index.bytes()?);
        Ok(self.session.spend(self.size.saturating_sub(before))?)
    }
}

/// How long it takes to keep so many bytes of documents, at the most.
fn keeping(bytes: usize) -> Duration {
    KEEPING + KEEPING_MEBIBYTE.mul_f64(bytes as f64 / f64::from(1 << 20))
}

fn no_memory(bytes: usize) -> Error {
    let needed = (bytes * MEMORY_FOR_BYTE) >> 20;
    let message = format!("indexing a document of {bytes} bytes needs {needed} MiB of memory; the run has less left");
    Error::new(ErrorCode::Limit, message)
}

/// About how many documents are to be taken in.
fn total(tables: &mut Tables<'_>, source: &Source) -> Result<u64, Error> {
    let mut total = (source.log)(tables).changes().map_err(workspace::failed)?;
    for (collection, _) in (source.log)(tables).unread().map_err(workspace::failed)? {
        total += (source.count)(tables, &collection)?;
    }
    Ok(total)
}

/// What is logged after a row, with the documents as they are now.
fn changes(tables: &mut Tables<'_>, source: &Source, last: &[u8]) -> Result<Vec<(Vec<u8>, Change)>, Error> {
    let entries = (source.log)(tables).entries(last, ENTRIES).map_err(workspace::failed)?;
    let (mut changes, mut bytes) = (Vec::new(), 0);
    for (row, entry) in entries {
        let change = change(tables, source, entry)?;
        bytes += if let Change::Put(_, _, _, json) = &change { json.len() } else { 0 };
        changes.push((row, change));
        if bytes >= BYTES {
            break;
        }
    }
    Ok(changes)
}

fn change(tables: &mut Tables<'_>, source: &Source, entry: Entry) -> Result<Change, Error> {
    Ok(match entry {
        Entry::Cleared(number) => Change::Clear(number),
        Entry::Unread { collection, after } => Change::Read(collection, after),
        Entry::Changed { collection, key } => match (source.document)(tables, &collection, &key)? {
            Some((number, json)) => Change::Put(number, collection, key, json),
            None => Change::Delete(collection, key),
        },
    })
}
