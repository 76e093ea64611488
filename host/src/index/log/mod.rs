//! What an index has not taken in yet, in the database: written with the change itself, so that none is ever missed.
//!
//! It holds names alone, each once. An index is behind what the log holds; what it has taken in is removed. The number of
//! the last taking in that was removed is kept: an index that does not know that number has lost something, and is made
//! anew. So is one that nobody asks for while more is logged than it costs to read all documents again: from then on, as
//! before the first query, nothing is logged at all.

mod row;

use std::{ops::Bound::Excluded, time::Instant};

use redb::{
    Error, ReadOnlyTable, ReadTransaction, ReadableTable, ReadableTableMetadata, TableDefinition, TableHandle,
    WriteTransaction,
};

use crate::{
    g::rows,
    workspace::{Dirty, Opening, Problems, Table},
};
use row::{CHANGED, SEARCHED, STATE, State, UNREAD};
pub(crate) use row::{Entry, Point};

type Bytes = &'static [u8];
/// The table of a log.
pub(crate) type Definition = TableDefinition<'static, Bytes, Bytes>;

/// A log of so many rows is never too long.
const SHORT: u64 = if cfg!(test) { 20 } else { 100_000 };

/// An open log.
pub(crate) struct Log<'t> {
    table: Table<'t, Bytes, Bytes>,
    state: State,
    has_changed: Dirty,
    /// Whether any collection's changes count.
    has_searched: bool,
    /// Whether rows may be left that say nothing.
    untidy: bool,
    /// For the name of a row: made for each call, its memory once.
    row: Vec<u8>,
}

impl<'t> Log<'t> {
    pub(crate) fn open(opening: &Opening<'t>, definition: Definition) -> Result<Self, Error> {
        let table = opening.open_table(definition)?;
        let rows = table.len()?;
        let state = State::read(table.get(&[STATE][..])?.as_ref().map(|row| row.value()), rows)?;
        let has_searched = table.range::<&[u8]>(&[SEARCHED][..]..)?.next().is_some();
        let has_changed = opening.dirty();
        let mut log = Self { table, state, has_changed, has_searched, untidy: false, row: Vec::new() };
        log.untidy = state.idle && !log.is_empty()?;
        Ok(log)
    }

    pub(crate) fn look_at(transaction: &WriteTransaction, definition: Definition) -> Result<(), Error> {
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

    /// A document was stored or deleted, of as many as `documents` tells.
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
        if self.table.len()? > SHORT && self.table.len()? > documents()? {
            tracing::debug!("the log of an index is longer than what it is made of, and is given up");
            self.give_up();
        }
        Ok(())
    }

    /// All documents of the collection that had this number are gone.
    pub(crate) fn cleared(&mut self, number: u64) -> Result<(), Error> {
        if !self.state.idle {
            let row = row::numbered(number);
            self.table.insert(&*row, &row::logged(&row, self.state.turn)[..])?;
            self.has_changed.set();
        }
        Ok(())
    }

    /// No index is of use any more. The next query makes one.
    pub(crate) fn give_up(&mut self) {
        (self.state.idle, self.untidy) = (true, true);
        self.has_changed.set();
    }

    /// The same for a log that is not open.
    pub(crate) fn give_up_in(transaction: &WriteTransaction, definition: Definition) -> Result<(), Error> {
        let mut log = Log::open(&Opening::new(transaction), definition)?;
        log.give_up();
        log.write_back()
    }

    /// The index is about to be made anew; these collections are to be read.
    pub(crate) fn begin_anew(&mut self, collections: &[String]) -> Result<(), Error> {
        (self.state.idle, self.untidy) = (false, false);
        self.state.generation = row::new_generation();
        self.has_changed.set();
        collections.iter().try_for_each(|collection| self.read_again(collection))
    }

    /// Whether a collection's changes count.
    pub(crate) fn is_searched(&self, collection: &str) -> Result<bool, Error> {
        Ok(self.has_searched && self.table.get(&*row::named(SEARCHED, collection))?.is_some())
    }

    /// From here on a collection's changes count, and what it holds is to be read.
    pub(crate) fn search(&mut self, collection: &str) -> Result<(), Error> {
        let row = row::named(SEARCHED, collection);
        self.table.insert(&*row, &*row::value(&row, &[]))?;
        self.has_searched = true;
        self.has_changed.set();
        if self.state.idle { Ok(()) } else { self.read_again(collection) }
    }

    /// A collection is gone, and with it what was known of its name.
    pub(crate) fn end_search(&mut self, collection: &str) -> Result<(), Error> {
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

    /// The collections whose changes count.
    pub(crate) fn searched(&self) -> Result<Vec<String>, Error> {
        let rows = self.table.range::<&[u8]>(&[SEARCHED][..]..)?;
        rows.map(|found| {
            let (name, value) = found?;
            row::searched(name.value(), value.value())
        })
        .collect()
    }

    /// Whether an index that is at this point misses nothing that was removed, and knows of nothing to come.
    pub(crate) fn knows(&self, point: Option<Point>) -> bool {
        let State { idle, generation, removed, turn, .. } = self.state;
        point.is_some_and(|at| !idle && at.generation == generation && (removed..turn).contains(&at.turn))
    }

    /// Whether there is nothing to take in.
    pub(crate) fn is_empty(&self) -> Result<bool, Error> {
        Ok(self.table.range::<&[u8]>(&[UNREAD][..]..&[SEARCHED][..])?.next().is_none())
    }

    /// How many changes are logged.
    pub(crate) fn changes(&self) -> Result<u64, Error> {
        let others = self.searched()?.len() + self.unread()?.len() + 1;
        Ok(self.table.len()?.saturating_sub(others as u64))
    }

    /// The collections that are to be read, each with the key after which.
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

    /// How many changes an index that takes in this log is behind; none when collections are to be read.
    pub(crate) fn waiting(&self) -> Result<Option<u64>, Error> {
        if self.state.idle || !self.unread()?.is_empty() {
            return Ok(None);
        }
        self.changes().map(Some)
    }

    /// Begins a turn: what is logged from here on belongs to the next one. To be on disk before the index is.
    pub(crate) fn begin(&mut self) -> Point {
        let point = Point { generation: self.state.generation, turn: self.state.turn };
        self.state.turn += 1;
        self.has_changed.set();
        point
    }

    /// Entries after the row of the last one, and the row of each.
    pub(crate) fn entries(&self, after: &[u8], most: usize) -> Result<Vec<(Vec<u8>, Entry)>, Error> {
        let start = if after.is_empty() { &[UNREAD][..] } else { after };
        let rows = self.table.range::<&[u8]>((Excluded(start), Excluded(&[SEARCHED][..])))?.take(most);
        rows.map(|found| {
            let (name, value) = found?;
            Ok((name.value().to_vec(), row::entry(name.value(), value.value())?))
        })
        .collect()
    }

    /// Removes entries that the index has taken in during a turn; those that were logged again meanwhile stay.
    pub(crate) fn remove(&mut self, turn: u64, rows: &[Vec<u8>]) -> Result<(), Error> {
        for name in rows {
            if self.is_logged_by(name, turn)? {
                self.table.remove(&**name)?;
            }
        }
        self.took_in(turn);
        Ok(())
    }

    /// The documents of a collection up to this key were read; all of them if there is none. One that is to be read since
    /// then, and so from its start, stays so.
    pub(crate) fn read(&mut self, turn: u64, collection: &str, up_to: Option<&str>) -> Result<(), Error> {
        let row = row::named(UNREAD, collection);
        if self.is_logged_by(&row, turn)? {
            match up_to {
                Some(key) => drop(self.table.insert(&*row, &*row::unread(&row, turn, key))?),
                None => drop(self.table.remove(&*row)?),
            }
        }
        self.took_in(turn);
        Ok(())
    }

    /// Whether there is a row of this name that was logged in a turn or before it.
    fn is_logged_by(&self, row: &[u8], turn: u64) -> Result<bool, Error> {
        let logged = self.table.get(row)?.map(|value| row::turn_of(row, value.value())).transpose()?;
        Ok(logged.is_some_and(|logged| logged <= turn))
    }

    fn took_in(&mut self, turn: u64) {
        self.state.removed = self.state.removed.max(turn);
        self.has_changed.set();
    }

    /// Whether rows are left that say nothing.
    pub(crate) fn is_untidy(&self) -> bool {
        self.untidy
    }

    /// Removes rows that say nothing, some at least, and until the time is up.
    pub(crate) fn tidy(&mut self, until: Instant) -> Result<(), Error> {
        while self.untidy {
            self.untidy = rows::remove(&mut self.table, &[], &[UNREAD][..], &[SEARCHED][..])?;
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
        problems.note(format!("{} has no row count", definition.name()));
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
    fn what_is_to_be_read_again_since_a_turn_began_is_not_taken_for_read() {
        let database = Database::builder().create_with_backend(InMemoryBackend::new()).unwrap();
        let transaction = database.begin_write().unwrap();
        let mut log = Log::open(&Opening::new(&transaction), TEST).unwrap();
        log.search("c").unwrap();
        log.begin_anew(&["c".into()]).unwrap();
        let point = log.begin();
        log.read(point.turn, "c", Some("m")).unwrap();
        assert_eq!(log.unread().unwrap(), [("c".into(), "m".into())]);
        log.end_search("c").unwrap();
        assert_eq!(log.unread().unwrap(), []);
        log.search("c").unwrap();
        for up_to in [Some("z"), None] {
            log.read(point.turn, "c", up_to).unwrap();
            assert_eq!(log.unread().unwrap(), [("c".into(), String::new())]);
        }
        let point = log.begin();
        log.read(point.turn, "c", None).unwrap();
        assert_eq!(log.unread().unwrap(), []);
    }
}
