//! The log of an index: the changes that the index has not applied yet. Each change is logged in the transaction that
//! makes it, so the log misses none.
//!
//! The log contains the collections and keys of changed documents, not their data, and each of them once. Entries that
//! the index has applied are removed. The log records the last turn whose entries were removed: an index that has not
//! applied this turn has missed changes, and is rebuilt. A log that has more rows than there are documents, and more
//! than 100,000, is discarded. No change is logged from then until the next query, nor before the first query.

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

/// A log of up to this many rows is not discarded, however few documents exist.
const ALWAYS_KEPT_ROWS: u64 = if cfg!(test) { 20 } else { 100_000 };

/// An open log.
pub(crate) struct Log<'t> {
    table: Table<'t, Bytes, Bytes>,
    state: State,
    has_changed: Dirty,
    /// Whether any collection has been searched.
    searched_any: bool,
    /// Whether rows of a discarded log may still have to be removed.
    needs_purge: bool,
    /// The buffer for the key of a row, reused by all calls.
    key: Vec<u8>,
}

impl<'t> Log<'t> {
    pub(crate) fn open(opening: &Opening<'t>, definition: Definition) -> Result<Self, Error> {
        let table = opening.open_table(definition)?;
        let rows = table.len()?;
        let state = State::read(table.get(&[STATE][..])?.as_ref().map(|row| row.value()), rows)?;
        let searched_any = table.range::<&[u8]>(&[SEARCHED][..]..)?.next().is_some();
        let has_changed = opening.dirty();
        let mut log = Self { table, state, has_changed, searched_any, needs_purge: false, key: Vec::new() };
        log.needs_purge = state.idle && !log.is_empty()?;
        Ok(log)
    }

    /// Opens the table once, to detect a corrupt one early.
    pub(crate) fn probe(transaction: &WriteTransaction, definition: Definition) -> Result<(), Error> {
        transaction.open_table(definition).map(drop).map_err(Error::from)
    }

    /// Writes the state, which is kept in memory until the commit.
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
        self.key.clear();
        self.key.push(CHANGED);
        self.key.extend_from_slice(collection.as_bytes());
        self.key.push(0);
        self.key.extend_from_slice(key.as_bytes());
        self.table.insert(&*self.key, &row::logged(&self.key, self.state.turn)[..])?;
        self.has_changed.set();
        if self.table.len()? > ALWAYS_KEPT_ROWS && self.table.len()? > documents()? {
            tracing::debug!("the log of an index has more rows than there are documents, and is discarded");
            self.discard();
        }
        Ok(())
    }

    /// Logs that the collection with this number was cleared.
    pub(crate) fn cleared(&mut self, number: u64) -> Result<(), Error> {
        if !self.state.idle {
            let key = row::cleared_key(number);
            self.table.insert(&*key, &row::logged(&key, self.state.turn)[..])?;
            self.has_changed.set();
        }
        Ok(())
    }

    /// Discards the log. The next query rebuilds the index.
    pub(crate) fn discard(&mut self) {
        (self.state.idle, self.needs_purge) = (true, true);
        self.has_changed.set();
    }

    /// Discards a log that is not open.
    pub(crate) fn rebuild_in(transaction: &WriteTransaction, definition: Definition) -> Result<(), Error> {
        let mut log = Log::open(&Opening::new(transaction), definition)?;
        log.discard();
        log.write_back()
    }

    /// Starts a new generation of the log for an index that is about to be rebuilt: the log then says that all
    /// documents of these collections have to be read.
    pub(crate) fn log_full_rebuild(&mut self, collections: &[String]) -> Result<(), Error> {
        (self.state.idle, self.needs_purge) = (false, false);
        self.state.generation = row::new_generation();
        self.has_changed.set();
        collections.iter().try_for_each(|collection| self.log_unread(collection))
    }

    /// Whether a collection has been searched. Its changes are then logged, unless the log is idle.
    pub(crate) fn is_searched(&self, collection: &str) -> Result<bool, Error> {
        Ok(self.searched_any && self.table.get(&*row::collection_key(SEARCHED, collection))?.is_some())
    }

    /// Starts logging the changes of a collection, and logs that all its documents have to be read.
    pub(crate) fn start_logging(&mut self, collection: &str) -> Result<(), Error> {
        let key = row::collection_key(SEARCHED, collection);
        self.table.insert(&*key, &*row::value(&key, &[]))?;
        self.searched_any = true;
        self.has_changed.set();
        if self.state.idle { Ok(()) } else { self.log_unread(collection) }
    }

    /// Stops logging the changes of a collection, because it was removed.
    pub(crate) fn stop_logging(&mut self, collection: &str) -> Result<(), Error> {
        self.table.remove(&*row::collection_key(SEARCHED, collection))?;
        self.table.remove(&*row::collection_key(UNREAD, collection))?;
        self.has_changed.set();
        Ok(())
    }

    /// Logs that all documents of a collection have to be read.
    fn log_unread(&mut self, collection: &str) -> Result<(), Error> {
        let key = row::collection_key(UNREAD, collection);
        self.table.insert(&*key, &*row::unread(&key, self.state.turn, ""))?;
        Ok(())
    }

    /// Returns the collections that have been searched.
    pub(crate) fn searched(&self) -> Result<Vec<String>, Error> {
        let rows = self.table.range::<&[u8]>(&[SEARCHED][..]..)?;
        rows.map(|found| {
            let (key, value) = found?;
            row::searched(key.value(), value.value())
        })
        .collect()
    }

    /// Whether an index at this position belongs to this log, has applied every removed entry, and is not ahead of the
    /// log.
    pub(crate) fn can_continue_from(&self, position: Option<IndexPosition>) -> bool {
        let State { idle, generation, removed, turn, .. } = self.state;
        position.is_some_and(|at| !idle && at.generation == generation && (removed..turn).contains(&at.turn))
    }

    /// Whether the log contains no entry that an index would have to apply.
    pub(crate) fn is_empty(&self) -> Result<bool, Error> {
        Ok(self.table.range::<&[u8]>(&[UNREAD][..]..&[SEARCHED][..])?.next().is_none())
    }

    /// Returns the number of logged changes.
    pub(crate) fn changes(&self) -> Result<u64, Error> {
        let others = self.searched()?.len() + self.unread()?.len() + 1;
        Ok(self.table.len()?.saturating_sub(others as u64))
    }

    /// Returns the collections that still have to be read, each with the key after which to continue.
    pub(crate) fn unread(&self) -> Result<Vec<(String, String)>, Error> {
        let rows = self.table.range::<&[u8]>(&[UNREAD][..]..&[UNREAD + 1][..])?;
        let entries = rows.map(|found| {
            let (key, value) = found?;
            row::entry(key.value(), value.value())
        });
        let unread = entries.filter_map(|entry| match entry {
            Ok(Entry::Unread { collection, after }) => Some(Ok((collection, after))),
            Ok(Entry::Cleared(_) | Entry::Changed { .. }) => None,
            Err(error) => Some(Err(error)),
        });
        unread.collect()
    }

    /// Returns the number of changes that the index has not applied; `None` (unknown) if the log was discarded, or if
    /// whole collections have to be read.
    pub(crate) fn unapplied_changes(&self) -> Result<Option<u64>, Error> {
        if self.state.idle || !self.unread()?.is_empty() {
            return Ok(None);
        }
        self.changes().map(Some)
    }

    /// Begins a turn: later changes belong to the next one. The database has to be committed before the index is.
    pub(crate) fn begin(&mut self) -> IndexPosition {
        let position = IndexPosition { generation: self.state.generation, turn: self.state.turn };
        self.state.turn += 1;
        self.has_changed.set();
        position
    }

    /// Returns the entries after a key of the table, each with its key.
    pub(crate) fn entries(&self, after: &[u8], most: usize) -> Result<Vec<(Vec<u8>, Entry)>, Error> {
        let start = if after.is_empty() { &[UNREAD][..] } else { after };
        let rows = self.table.range::<&[u8]>((Excluded(start), Excluded(&[SEARCHED][..])))?.take(most);
        rows.map(|found| {
            let (key, value) = found?;
            Ok((key.value().to_vec(), row::entry(key.value(), value.value())?))
        })
        .collect()
    }

    /// Removes entries that the index has applied in a turn, unless they were logged again since.
    pub(crate) fn remove(&mut self, turn: u64, keys: &[Vec<u8>]) -> Result<(), Error> {
        for key in keys {
            if self.is_logged_at_or_before(key, turn)? {
                self.table.remove(&**key)?;
            }
        }
        self.set_removed(turn);
        Ok(())
    }

    /// Records that the documents of a collection were indexed up to this key, `None` for all of them. Leaves the row
    /// of the collection unchanged if a later turn logged again that the collection has to be read.
    pub(crate) fn record_progress(&mut self, turn: u64, collection: &str, up_to: Option<&str>) -> Result<(), Error> {
        let row_key = row::collection_key(UNREAD, collection);
        if self.is_logged_at_or_before(&row_key, turn)? {
            match up_to {
                Some(key) => drop(self.table.insert(&*row_key, &*row::unread(&row_key, turn, key))?),
                None => drop(self.table.remove(&*row_key)?),
            }
        }
        self.set_removed(turn);
        Ok(())
    }

    /// Whether a row with this key exists and was logged in this turn or before it.
    fn is_logged_at_or_before(&self, key: &[u8], turn: u64) -> Result<bool, Error> {
        let logged = self.table.get(key)?.map(|value| row::turn_of(key, value.value())).transpose()?;
        Ok(logged.is_some_and(|logged| logged <= turn))
    }

    fn set_removed(&mut self, turn: u64) {
        self.state.removed = self.state.removed.max(turn);
        self.has_changed.set();
    }

    /// Whether rows of a discarded log still have to be removed.
    pub(crate) fn needs_purge(&self) -> bool {
        self.needs_purge
    }

    /// Removes rows of a discarded log until the time is over, but at least one step of them.
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

/// Notes every problem of a log.
pub(crate) fn check(
    transaction: &ReadTransaction,
    definition: Definition,
    problems: &mut Problems,
) -> Result<(), Error> {
    let table: ReadOnlyTable<Bytes, Bytes> = transaction.open_table(definition)?;
    let state = State::read(table.get(&[STATE][..])?.as_ref().map(|row| row.value()), table.len()?);
    if state.is_err() {
        problems.note(format!("the state of {} is missing or damaged, or its row count is wrong", definition.name()));
    }
    let mut damaged = 0;
    for found in table.range::<&[u8]>(&[UNREAD][..]..)? {
        let (key, value) = found?;
        let (key, value) = (key.value(), value.value());
        let is_valid = if key.first() == Some(&SEARCHED) {
            row::searched(key, value).is_ok()
        } else {
            row::entry(key, value).is_ok()
        };
        damaged += u64::from(!is_valid);
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
