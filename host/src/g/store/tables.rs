//! The tables of the store, and what is done with a document.
//!
//! A collection has a number. Documents and their places in the two orders are keyed by it, so that its name is stored
//! once, and `clear` is to forget the number.

use redb::{Error, ReadableTable, ReadableTableMetadata, TableDefinition, WriteTransaction};

use super::value::{self, Document, Moment, Place, Times};
use crate::{
    g::{
        collections::{ByName, Collections, Counters, Definitions},
        rows::sum_of_cleared,
    },
    index::{self, Log},
    workspace::{Opening, Table},
};

type Bytes = &'static [u8];

pub(super) const COLLECTIONS: ByName = TableDefinition::new("store.collections");
pub(super) const COUNTERS: Counters = TableDefinition::new("store.counters");
pub(super) const DEFINITIONS: Definitions = Definitions { collections: COLLECTIONS, counters: COUNTERS };
/// What the index of the collections that are searched has not taken in yet.
pub(super) const LOG: index::Definition = TableDefinition::new("store.index");
/// Number and key → when it was created and updated, and the JSON.
pub(super) const DOCUMENTS: TableDefinition<'static, Bytes, Bytes> = TableDefinition::new("store.documents");
/// Number and moment → key.
pub(super) const BY_CREATED: TableDefinition<'static, &'static Place, Bytes> = TableDefinition::new("store.by-created");
pub(super) const BY_UPDATED: TableDefinition<'static, &'static Place, Bytes> = TableDefinition::new("store.by-updated");
/// Numbers of collections that were cleared and whose rows are still to be removed → checksum.
pub(super) const CLEARED: TableDefinition<'static, u64, u32> = TableDefinition::new("store.cleared");

/// The tables of the store, open.
pub(crate) struct Tables<'t> {
    pub(super) collections: Collections<'t>,
    pub(super) documents: Table<'t, Bytes, Bytes>,
    pub(super) by_created: Table<'t, &'static Place, Bytes>,
    pub(super) by_updated: Table<'t, &'static Place, Bytes>,
    pub(super) cleared: Table<'t, u64, u32>,
    pub(super) log: Log<'t>,
    pub(super) untidy: bool,
    /// For the key of a document's row: made for each call, its memory once.
    pub(super) key: Vec<u8>,
}

impl<'t> Tables<'t> {
    pub(crate) fn open(opening: &Opening<'t>) -> Result<Self, Error> {
        let cleared = opening.open_table(CLEARED)?;
        let untidy = cleared.first()?.is_some();
        let documents = opening.open_table(DOCUMENTS)?;
        let by_created = opening.open_table(BY_CREATED)?;
        let by_updated = opening.open_table(BY_UPDATED)?;
        // A damaged table may look like one with fewer rows.
        let rows = documents.len()?;
        if !untidy && [by_created.len()?, by_updated.len()?] != [rows, rows] {
            return Err(value::damaged());
        }
        Ok(Self {
            collections: Collections::open(opening, &DEFINITIONS)?,
            documents,
            by_created,
            by_updated,
            cleared,
            log: Log::open(opening, LOG)?,
            untidy,
            key: Vec::new(),
        })
    }

    /// Opens each table and closes it before the next.
    pub(crate) fn look_at_each(transaction: &WriteTransaction) -> Result<(), Error> {
        Collections::look_at_each(transaction, &DEFINITIONS)?;
        Log::look_at(transaction, LOG)?;
        drop(transaction.open_table(DOCUMENTS)?);
        drop(transaction.open_table(BY_CREATED)?);
        drop(transaction.open_table(BY_UPDATED)?);
        drop(transaction.open_table(CLEARED)?);
        Ok(())
    }

    /// Has the index made anew.
    pub(crate) fn give_up_index(transaction: &WriteTransaction) -> Result<(), Error> {
        Log::give_up_in(transaction, LOG)
    }

    /// Writes what is kept in memory until the commit.
    pub(crate) fn write_back(&mut self) -> Result<(), Error> {
        self.collections.write_back()?;
        self.log.write_back()
    }

    /// An existing document keeps its creation time unless one is given. False when it would be later than the given time
    /// of the update; without one the update is no earlier than the creation, also after the clock went back.
    pub(super) fn put(
        &mut self,
        collection: &str,
        key: &str,
        data: &str,
        times: Times,
        now: u64,
    ) -> Result<bool, Error> {
        let old = self.moments(collection, key)?;
        let created = times.created.or(old.map(|(created, _)| created.time));
        let updated = times.updated.unwrap_or(now.max(created.unwrap_or(0)));
        if created.is_some_and(|created| created > updated) {
            return Ok(false);
        }
        let number = self.collections.enter(collection)?;
        let sequence = self.collections.next_sequence();
        let updated = Moment { time: updated, sequence };
        let created = match (times.created, old) {
            (Some(time), _) => Moment { time, sequence },
            (None, Some((created, _))) => created,
            (None, None) => updated,
        };
        value::document_key(number, key.as_bytes(), &mut self.key);

        let mut row = self.documents.insert_reserve(&*self.key, value::ROW_HEAD + data.len())?;
        value::write_row(row.as_mut(), &self.key, created, updated, data);
        drop(row);
        match old {
            Some((old_created, old_updated)) => {
                self.by_updated.remove(&value::place(number, old_updated))?;
                if old_created != created {
                    self.by_created.remove(&value::place(number, old_created))?;
                    self.by_created.insert(&value::place(number, created), key.as_bytes())?;
                }
            }
            None => {
                self.by_created.insert(&value::place(number, created), key.as_bytes())?;
                self.collections.add(collection)?;
            }
        }
        self.by_updated.insert(&value::place(number, updated), key.as_bytes())?;
        self.log_change(collection, key)?;
        Ok(true)
    }

    /// What the index of a collection that is searched has to take in.
    fn log_change(&mut self, collection: &str, key: &str) -> Result<(), Error> {
        if !self.log.is_searched(collection)? {
            return Ok(());
        }
        self.log.changed(collection, key, || self.documents.len())?;
        if self.collections.number(collection)?.is_none() { self.log.end_search(collection) } else { Ok(()) }
    }

    /// When a document was created and updated, if it is there.
    pub(super) fn moments(&mut self, collection: &str, key: &str) -> Result<Option<(Moment, Moment)>, Error> {
        let Some(number) = self.collections.number(collection)? else { return Ok(None) };
        value::document_key(number, key.as_bytes(), &mut self.key);
        let row = self.documents.get(&*self.key)?;
        row.map(|row| value::moments(&self.key, row.value())).transpose()
    }

    pub(super) fn get(&mut self, collection: &str, key: &str) -> Result<Option<Document>, Error> {
        let Some(number) = self.collections.number(collection)? else { return Ok(None) };
        value::document_key(number, key.as_bytes(), &mut self.key);
        let row = self.documents.get(&*self.key)?;
        row.map(|row| value::document(&self.key, row.value())).transpose()
    }

    pub(super) fn delete(&mut self, collection: &str, key: &str) -> Result<bool, Error> {
        let Some(number) = self.collections.number(collection)? else { return Ok(false) };
        value::document_key(number, key.as_bytes(), &mut self.key);
        let removed = self.documents.remove(&*self.key)?;
        let removed = removed.map(|row| value::moments(&self.key, row.value())).transpose()?;
        let Some((created, updated)) = removed else { return Ok(false) };
        self.by_created.remove(&value::place(number, created))?;
        self.by_updated.remove(&value::place(number, updated))?;
        self.collections.subtract(collection)?;
        self.log_change(collection, key)?;
        Ok(true)
    }

    pub(super) fn count(&mut self, collection: &str) -> Result<u64, Error> {
        self.collections.count(collection)
    }

    /// Forgets the collection's number, if there is such a collection; its rows go later.
    pub(super) fn clear(&mut self, collection: &str) -> Result<(), Error> {
        let Some(number) = self.collections.remove(collection)? else { return Ok(()) };
        self.cleared.insert(number, sum_of_cleared(number))?;
        self.untidy = true;
        if self.log.is_searched(collection)? {
            self.log.cleared(number)?;
            self.log.end_search(collection)?;
        }
        Ok(())
    }

    pub(super) fn collections(&self) -> Result<Vec<String>, Error> {
        self.collections.names()
    }
}

#[cfg(test)]
impl Tables<'_> {
    /// How many rows there are of documents and in the two orders, also of collections that were cleared.
    pub(super) fn rows(&self) -> [u64; 3] {
        [self.documents.len(), self.by_created.len(), self.by_updated.len()].map(|length| length.unwrap())
    }
}
