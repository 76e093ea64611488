//! The log of an index: the changes that the index has not applied yet. Each change is logged in its own transaction, so
//! the log misses none.
//!
//! The log contains names only, each once. Entries that the index has applied are removed. The log keeps the number of the
//! last turn that was removed: an index that has not applied this turn has missed changes, and is rebuilt. A log that has
//! more entries than there are documents is discarded. Nothing is logged from then until the next query, nor before the
//! first query.

mod row;

use std::{ops::Bound::Excluded, time::Instant};

use redb::{
    Error, ReadOnlyTable, ReadTransaction, ReadableTable, ReadableTableMetadata, TableDefinition, TableHandle,
    WriteTransaction,
};

use super::{Dirty, Opening, Problems, Table, purge};
use row::{CHANGED, SEARCHED, STATE, State, UNREAD};
pub(crate) use row::{Entry, IndexPosition};

type Bytes = &'static [u8];
/// The table of a log.
pub(crate) type Definition = TableDefinition<'static, Bytes, Bytes>;

/// A log of up to this many rows is not discarded, however few documents there are.
const MIN_DISCARDED_ROWS: u64 = if cfg!(test) { 20 } else { 100_000 };

/// An open log.
pub(crate) struct Log<'t> {
    table: Table<'t, Bytes, Bytes>,
    state: State,
    has_changed: Dirty,
    /// Whether the changes of any collection are logged.
    logs_any: bool,
    /// Whether rows of a discarded log may be left.
    needs_purge: bool,
    /// The buffer for the name of a row, reused by all calls.
    row: Vec<u8>,
}

impl<'t> Log<'t> {
    pub(crate) fn open(opening: &Opening<'t>, definition: Definition) -> Result<Self, Error> {
        let table = opening.open_table(definition)?;
        let rows = table.len()?;
        let state = State::read(table.get(&[STATE][..])?.as_ref().map(|row| row.value()), rows)?;
        let logs_any = table.range::<&[u8]>(&[SEARCHED][..]..)?.next().is_some();
        let has_changed = opening.dirty();
        let mut log = Self { table, state, has_changed, logs_any, needs_purge: false, row: Vec::new() };
        log.needs_purge = state.idle && !log.is_empty()?;
        Ok(log)
    }

    /// Opens the table once, to detect a corrupt one early.
    pub(crate) fn probe(transaction: &WriteTransaction, definition: Definition) -> Result<(), Error> {
        transaction.open_table(definition).map(drop).map_err(Error::from)
    }

    /// Writes what is kept in memory until the commit.
    pub(crate) fn write_back(&mut self) -> Result<(), Error> {
        if !self.has_changed.take() {
            return Ok(());
        }
        if self.table.get(&[STATE][..])?.is_none() {
            self.table.write_back(&[STATE][..], &[][..])?;
        }
        self.state.rows = self.table.len()?;
        Ok(self.table.write_back(&[STATE][..], &*self.state.to_value())?)
    }

    /// Logs that a document was stored or deleted. `documents` returns the number of documents.
    pub(crate) fn changed(
        &mut self,
        collection: &str,
        key: &str,
        documents: impl FnOnce() -> Result<u64, redb::StorageError>,
    ) -> Result<(), Error> {
        if self.state.idle {
            return Ok(());
        }
        self.row.clear();
        self.row.push(CHANGED);
        self.row.extend_from_slice(collection.as_bytes());
        self.row.push(0);
        self.row.extend_from_slice(key.as_bytes());
        self.table.insert(&*self.row, &row::logged(&self.row, self.state.turn)[..])?;
        self.has_changed.set();
        if self.table.len()? > MIN_DISCARDED_ROWS && self.table.len()? > documents()? {
            tracing::debug!("the log of an index is longer than its documents, and is discarded");
            self.discard();
        }
        Ok(())
    }

    /// Logs that the collection with this number was cleared.
    pub(crate) fn cleared(&mut self, number: u64) -> Result<(), Error> {
        if !self.state.idle {
            let row = row::numbered(number);
            self.table.insert(&*row, &row::logged(&row, self.state.turn)[..])?;
            self.has_changed.set();
        }
        Ok(())
    }

    /// Discards the log. The next query rebuilds the index.
    pub(crate) fn discard(&mut self) {
        (self.state.idle, self.needs_purge) = (true, true);
        self.has_changed.set();
    }

    /// The same for a log that is not open.
    pub(crate) fn rebuild_in(transaction: &WriteTransaction, definition: Definition) -> Result<(), Error> {
        let mut log = Log::open(&Opening::new(transaction), definition)?;
        log.discard();
        log.write_back()
    }

    /// The index is about to be rebuilt: logs that these collections have to be read.
    pub(crate) fn log_full_rebuild(&mut self, collections: &[String]) -> Result<(), Error> {
        (self.state.idle, self.needs_purge) = (false, false);
        self.state.generation = row::new_generation();
        self.has_changed.set();
        collections.iter().try_for_each(|collection| self.read_again(collection))
    }

    /// Whether the changes of a collection are logged.
    pub(crate) fn is_logged(&self, collection: &str) -> Result<bool, Error> {
        Ok(self.logs_any && self.table.get(&*row::named(SEARCHED, collection))?.is_some())
    }

    /// From now on logs the changes of a collection, and logs that all of it has to be read.
    pub(crate) fn start_logging(&mut self, collection: &str) -> Result<(), Error> {
        let row = row::named(SEARCHED, collection);
        self.table.insert(&*row, &*row::value(&row, &[]))?;
        self.logs_any = true;
        self.has_changed.set();
        if self.state.idle { Ok(()) } else { self.read_again(collection) }
    }

    /// Logs nothing more for the name of a collection that was removed.
    pub(crate) fn stop_logging(&mut self, collection: &str) -> Result<(), Error> {
        self.table.remove(&*row::named(SEARCHED, collection))?;
        self.table.remove(&*row::named(UNREAD, collection))?;
        self.has_changed.set();
        Ok(())
    }

    fn read_again(&mut self, collection: &str) -> Result<(), Error> {
        let row = row::named(UNREAD, collection);
        self.table.insert(&*row, &*row::unread(&row, self.state.turn, ""))?;
        Ok(())
    }

    /// The collections whose changes are logged.
    pub(crate) fn searched(&self) -> Result<Vec<String>, Error> {
        let rows = self.table.range::<&[u8]>(&[SEARCHED][..]..)?;
        rows.map(|found| {
            let (name, value) = found?;
            row::searched(name.value(), value.value())
        })
        .collect()
    }

    /// Whether an index at this position belongs to this log, has applied every removed entry, and is not ahead of the log.
    pub(crate) fn can_continue_from(&self, position: Option<IndexPosition>) -> bool {
        let State { idle, generation, removed, turn, .. } = self.state;
        position.is_some_and(|at| !idle && at.generation == generation && (removed..turn).contains(&at.turn))
    }

    /// Whether there is nothing to apply.
    pub(crate) fn is_empty(&self) -> Result<bool, Error> {
        Ok(self.table.range::<&[u8]>(&[UNREAD][..]..&[SEARCHED][..])?.next().is_none())
    }

    /// The number of logged changes.
    pub(crate) fn changes(&self) -> Result<u64, Error> {
        let others = self.searched()?.len() + self.unread()?.len() + 1;
        Ok(self.table.len()?.saturating_sub(others as u64))
    }

    /// The collections that have to be read, each with the key after which to continue.
    pub(crate) fn unread(&self) -> Result<Vec<(String, String)>, Error> {
        let rows = self.table.range::<&[u8]>(&[UNREAD][..]..&[UNREAD + 1][..])?;
        let entries = rows.map(|found| {
            let (name, value) = found?;
            row::entry(name.value(), value.value())
        });
        let unread = entries.filter_map(|entry| match entry {
            Ok(Entry::Unread { collection, after }) => Some(Ok((collection, after))),
            Ok(Entry::Cleared(_) | Entry::Changed { .. }) => None,
            Err(error) => Some(Err(error)),
        });
        unread.collect()
    }

    /// How many changes the index has not applied; `None`, which is unknown, when it has to read collections.
    pub(crate) fn waiting(&self) -> Result<Option<u64>, Error> {
        if self.state.idle || !self.unread()?.is_empty() {
            return Ok(None);
        }
        self.changes().map(Some)
    }

    /// Begins a turn: later changes belong to the next turn. It has to be on disk before the index commits.
    pub(crate) fn begin(&mut self) -> IndexPosition {
        let position = IndexPosition { generation: self.state.generation, turn: self.state.turn };
        self.state.turn += 1;
        self.has_changed.set();
        position
    }

    /// The entries after a key of the table, each with its key.
    pub(crate) fn entries(&self, after: &[u8], most: usize) -> Result<Vec<(Vec<u8>, Entry)>, Error> {
        let start = if after.is_empty() { &[UNREAD][..] } else { after };
        let rows = self.table.range::<&[u8]>((Excluded(start), Excluded(&[SEARCHED][..])))?.take(most);
        rows.map(|found| {
            let (name, value) = found?;
            Ok((name.value().to_vec(), row::entry(name.value(), value.value())?))
        })
        .collect()
    }

    /// Removes entries that the index has applied in a turn, unless they were logged again since.
    pub(crate) fn remove(&mut self, turn: u64, rows: &[Vec<u8>]) -> Result<(), Error> {
        for name in rows {
            if self.is_logged_at_or_before(name, turn)? {
                self.table.remove(&**name)?;
            }
        }
        self.set_removed(turn);
        Ok(())
    }

    /// Records that the documents of a collection were indexed up to this key, `None` for all of them. Leaves the row
    /// of the collection unchanged if a later turn logged again that the collection has to be read.
    pub(crate) fn record_progress(&mut self, turn: u64, collection: &str, up_to: Option<&str>) -> Result<(), Error> {
        let row = row::named(UNREAD, collection);
        if self.is_logged_at_or_before(&row, turn)? {
            match up_to {
                Some(key) => drop(self.table.insert(&*row, &*row::unread(&row, turn, key))?),
                None => drop(self.table.remove(&*row)?),
            }
        }
        self.set_removed(turn);
        Ok(())
    }

    /// Whether a row of this name exists and was logged in this turn or before it.
    fn is_logged_at_or_before(&self, row: &[u8], turn: u64) -> Result<bool, Error> {
        let logged = self.table.get(row)?.map(|value| row::turn_of(row, value.value())).transpose()?;
        Ok(logged.is_some_and(|logged| logged <= turn))
    }

    fn set_removed(&mut self, turn: u64) {
        self.state.removed = self.state.removed.max(turn);
        self.has_changed.set();
    }

    /// Whether rows of a discarded log are left.
    pub(crate) fn needs_purge(&self) -> bool {
        self.needs_purge
    }

    /// Removes rows of a discarded log: some at least, and more until the time is over.
    pub(crate) fn purge(&mut self, until: Instant) -> Result<(), Error> {
        while self.needs_purge {
            self.needs_purge = purge::remove(&mut self.table, &[], &[UNREAD][..], &[SEARCHED][..])?;
            self.has_changed.set();
            if Instant::now() >= until {
                break;
            }
        }
        Ok(())
    }
}

/// Notes what is wrong with a log.
pub(crate) fn check(
    transaction: &ReadTransaction,
    definition: Definition,
    problems: &mut Problems,
) -> Result<(), Error> {
    let table: ReadOnlyTable<Bytes, Bytes> = transaction.open_table(definition)?;
    let state = State::read(table.get(&[STATE][..])?.as_ref().map(|row| row.value()), table.len()?);
    if state.is_err() {
        problems.note(format!("the row count of {} is missing or wrong", definition.name()));
    }
    let mut damaged = 0;
    for found in table.range::<&[u8]>(&[UNREAD][..]..)? {
        let (name, value) = found?;
        let (name, value) = (name.value(), value.value());
        let is_whole = if name.first() == Some(&SEARCHED) {
            row::searched(name, value).is_ok()
        } else {
            row::entry(name, value).is_ok()
        };
        damaged += u64::from(!is_whole);
    }
    if damaged > 0 {
        problems.note(format!("{damaged} rows of {} are damaged", definition.name()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use redb::{Database, backends::InMemoryBackend};

    use super::*;

    const TEST: Definition = TableDefinition::new("test.log");

    #[test]
    fn progress_of_an_old_turn_does_not_cancel_a_later_rebuild() {
        let database = Database::builder().create_with_backend(InMemoryBackend::new()).unwrap();
        let transaction = database.begin_write().unwrap();
        let mut log = Log::open(&Opening::new(&transaction), TEST).unwrap();
        log.start_logging("c").unwrap();
        log.log_full_rebuild(&["c".into()]).unwrap();
        let position = log.begin();
        log.record_progress(position.turn, "c", Some("m")).unwrap();
        assert_eq!(log.unread().unwrap(), [("c".into(), "m".into())]);
        log.stop_logging("c").unwrap();
        assert_eq!(log.unread().unwrap(), []);
        log.start_logging("c").unwrap();
        for up_to in [Some("z"), None] {
            log.record_progress(position.turn, "c", up_to).unwrap();
            assert_eq!(log.unread().unwrap(), [("c".into(), String::new())]);
        }
        let position = log.begin();
        log.record_progress(position.turn, "c", None).unwrap();
        assert_eq!(log.unread().unwrap(), []);
    }
}
