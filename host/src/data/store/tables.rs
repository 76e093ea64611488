//! The tables of the store, and the changes of a document.
//!
//! A collection has a number. The keys of its documents, and of their entries in the orders by creation and by last
//! update, begin with it. The name is therefore stored once, and `clear` only removes the row that maps the name to the
//! number; `purge` removes the rest.

use std::time::Instant;

use redb::{Error, ReadTransaction, ReadableTable, ReadableTableMetadata, TableDefinition, WriteTransaction};

use super::{
    check,
    value::{self, Document, Moment, OrderKey, Times},
};
use crate::data::{
    Numbered, Opening, Problems, Source, Step, Table, TableSet,
    collections::{ByName, Collections, Counters, Definitions},
    log::{self, Log},
    purge::sum_of_cleared,
};

type Bytes = &'static [u8];

pub(super) const COLLECTIONS: ByName = TableDefinition::new("store.collections");
pub(super) const COUNTERS: Counters = TableDefinition::new("store.counters");
pub(super) const DEFINITIONS: Definitions = Definitions { collections: COLLECTIONS, counters: COUNTERS };
/// The changes that the index has not applied yet.
pub(super) const LOG: log::Definition = TableDefinition::new("store.index");
/// Number of the collection and key → when the document was created and updated, and its JSON.
pub(super) const DOCUMENTS: TableDefinition<'static, Bytes, Bytes> = TableDefinition::new("store.documents");
/// Number of the collection and moment → key.
pub(super) const BY_CREATED: TableDefinition<'static, &'static OrderKey, Bytes> =
    TableDefinition::new("store.by-created");
pub(super) const BY_UPDATED: TableDefinition<'static, &'static OrderKey, Bytes> =
    TableDefinition::new("store.by-updated");
/// Numbers of cleared collections whose rows still have to be removed → checksum.
pub(super) const CLEARED: TableDefinition<'static, u64, u32> = TableDefinition::new("store.cleared");

/// The open tables of the store.
pub(crate) struct Tables<'t> {
    pub(super) collections: Collections<'t>,
    pub(super) documents: Table<'t, Bytes, Bytes>,
    pub(super) by_created: Table<'t, &'static OrderKey, Bytes>,
    pub(super) by_updated: Table<'t, &'static OrderKey, Bytes>,
    pub(super) cleared: Table<'t, u64, u32>,
    pub(super) log: Log<'t>,
    pub(super) needs_purge: bool,
    /// The buffer for the key of a row, reused by all calls.
    pub(super) key: Vec<u8>,
}

impl<'t> Tables<'t> {
    pub(crate) fn open(opening: &Opening<'t>) -> Result<Self, Error> {
        let cleared = opening.open_table(CLEARED)?;
        let needs_purge = cleared.first()?.is_some();
        let documents = opening.open_table(DOCUMENTS)?;
        let by_created = opening.open_table(BY_CREATED)?;
        let by_updated = opening.open_table(BY_UPDATED)?;
        // A corrupt table may look like one with fewer rows.
        let rows = documents.len()?;
        if !needs_purge && [by_created.len()?, by_updated.len()?] != [rows, rows] {
            return Err(value::damaged());
        }
        Ok(Self {
            collections: Collections::open(opening, &DEFINITIONS)?,
            documents,
            by_created,
            by_updated,
            cleared,
            log: Log::open(opening, LOG)?,
            needs_purge,
            key: Vec::new(),
        })
    }

    /// Discards the log, so that the next query rebuilds the index.
    pub(crate) fn rebuild_index(transaction: &WriteTransaction) -> Result<(), Error> {
        Log::rebuild_in(transaction, LOG)
    }

    /// Stores a document. An existing document keeps its creation time unless one is given. Returns false, and stores
    /// nothing, when the creation is later than the given time of the update. Without a given time, the update is never
    /// earlier than the creation, even after the clock went back.
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
        let number = self.collections.number_or_create(collection)?;
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
                self.by_updated.remove(&value::order_key(number, old_updated))?;
                if old_created != created {
                    self.by_created.remove(&value::order_key(number, old_created))?;
                    self.by_created.insert(&value::order_key(number, created), key.as_bytes())?;
                }
            }
            None => {
                self.by_created.insert(&value::order_key(number, created), key.as_bytes())?;
                self.collections.add(collection)?;
            }
        }
        self.by_updated.insert(&value::order_key(number, updated), key.as_bytes())?;
        self.log_change(collection, key)?;
        Ok(true)
    }

    /// Logs a change for the index, if the collection has been searched.
    fn log_change(&mut self, collection: &str, key: &str) -> Result<(), Error> {
        if !self.log.is_searched(collection)? {
            return Ok(());
        }
        self.log.changed(collection, key, || self.documents.len())?;
        if self.collections.number(collection)?.is_none() { self.log.stop_logging(collection) } else { Ok(()) }
    }

    /// Returns when a document was created and updated, if it exists.
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
        self.by_created.remove(&value::order_key(number, created))?;
        self.by_updated.remove(&value::order_key(number, updated))?;
        self.collections.subtract(collection)?;
        self.log_change(collection, key)?;
        Ok(true)
    }

    /// Removes the name of a collection, if it exists; `purge` removes its documents.
    pub(super) fn clear(&mut self, collection: &str) -> Result<(), Error> {
        let Some(number) = self.collections.remove(collection)? else { return Ok(()) };
        self.cleared.insert(number, sum_of_cleared(number))?;
        self.needs_purge = true;
        if self.log.is_searched(collection)? {
            self.log.cleared(number)?;
            self.log.stop_logging(collection)?;
        }
        Ok(())
    }
}

impl TableSet for Tables<'_> {
    fn open_each(transaction: &WriteTransaction) -> Result<(), Error> {
        Collections::open_each(transaction, &DEFINITIONS)?;
        Log::probe(transaction, LOG)?;
        drop(transaction.open_table(DOCUMENTS)?);
        drop(transaction.open_table(BY_CREATED)?);
        drop(transaction.open_table(BY_UPDATED)?);
        drop(transaction.open_table(CLEARED)?);
        Ok(())
    }

    fn write_back(&mut self) -> Result<(), Error> {
        self.collections.write_back()?;
        self.log.write_back()
    }

    fn needs_purge(&self) -> bool {
        self.needs_purge || self.log.needs_purge()
    }

    fn purge(&mut self, until: Instant) -> Result<(), Error> {
        if self.needs_purge { self.purge_cleared(until) } else { self.log.purge(until) }
    }

    fn check(transaction: &ReadTransaction, problems: &mut Problems) -> Result<(), Error> {
        check::check(transaction, problems)
    }

    fn holds_nothing(transaction: &ReadTransaction) -> Result<bool, Error> {
        Ok(transaction.open_table(COLLECTIONS)?.first()?.is_none())
    }
}

impl<'t> Source<'t> for Tables<'t> {
    fn log(&mut self) -> &mut Log<'t> {
        &mut self.log
    }

    fn document(&mut self, collection: &str, key: &str) -> Result<Option<Numbered>, Error> {
        let number = self.collections.number(collection)?;
        Ok(number.zip(self.get(collection, key)?.map(|document| document.data)))
    }

    fn step(&mut self, collection: &str, after: &str) -> Result<Option<Step>, Error> {
        let Some(number) = self.collections.number(collection)? else { return Ok(None) };
        let documents = self.documents_after(collection, after)?;
        let documents = documents.into_iter().map(|document| (document.key, document.data)).collect();
        Ok(Some(Step { number, documents }))
    }

    fn collections(&self) -> Result<Vec<String>, Error> {
        self.log.searched()
    }

    fn count(&mut self, collection: &str) -> Result<u64, Error> {
        self.collections.count(collection)
    }
}

#[cfg(test)]
impl Tables<'_> {
    /// The numbers of documents and of entries in the two orders, including those of cleared collections.
    pub(super) fn rows(&self) -> [u64; 3] {
        [self.documents.len(), self.by_created.len(), self.by_updated.len()].map(|length| length.unwrap())
    }
}
