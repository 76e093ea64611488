//! The tables of the searchable documents, and the changes of a document.
//!
//! As in the store, a collection has a number with which the keys of its documents begin. Each change is also logged
//! for the index.

use std::time::Instant;

use redb::{Error, ReadTransaction, ReadableTable, ReadableTableMetadata, TableDefinition, WriteTransaction};

use super::{check, value};
use crate::data::{
    Numbered, Opening, Problems, Source, Step, Table, TableSet,
    collections::{ByName, Collections, Counters, Definitions},
    log::{self, Log},
    purge::{self, purge_cleared},
};

type Bytes = &'static [u8];

pub(super) const COLLECTIONS: ByName = TableDefinition::new("search.collections");
pub(super) const COUNTERS: Counters = TableDefinition::new("search.counters");
pub(super) const DEFINITIONS: Definitions = Definitions { collections: COLLECTIONS, counters: COUNTERS };
/// Number and key → checksum, and JSON of the fields.
pub(super) const DOCUMENTS: TableDefinition<'static, Bytes, Bytes> = TableDefinition::new("search.documents");
/// Numbers of cleared collections whose rows still have to be removed → checksum.
pub(super) const CLEARED: TableDefinition<'static, u64, u32> = TableDefinition::new("search.cleared");
/// The changes that the index has not applied yet.
pub(super) const LOG: log::Definition = TableDefinition::new("search.index");

/// The open tables of the searchable documents.
pub(crate) struct Tables<'t> {
    pub(super) collections: Collections<'t>,
    documents: Table<'t, Bytes, Bytes>,
    cleared: Table<'t, u64, u32>,
    pub(super) log: Log<'t>,
    needs_purge: bool,
}

impl<'t> Tables<'t> {
    pub(crate) fn open(opening: &Opening<'t>) -> Result<Self, Error> {
        let cleared = opening.open_table(CLEARED)?;
        let needs_purge = cleared.first()?.is_some();
        Ok(Self {
            collections: Collections::open(opening, &DEFINITIONS)?,
            documents: opening.open_table(DOCUMENTS)?,
            cleared,
            log: Log::open(opening, LOG)?,
            needs_purge,
        })
    }

    /// Discards the log, so that the next query rebuilds the index.
    pub(crate) fn rebuild_index(transaction: &WriteTransaction) -> Result<(), Error> {
        Log::rebuild_in(transaction, LOG)
    }

    pub(super) fn put(&mut self, collection: &str, key: &str, fields: &str) -> Result<(), Error> {
        let number = self.collections.number_or_create(collection)?;
        let name = value::name(number, key);
        let is_new = self.documents.insert(&*name, &*value::row(&name, fields))?.is_none();
        if is_new {
            self.collections.add(collection)?;
        }
        self.log.changed(collection, key, || self.documents.len())
    }

    pub(super) fn get(&mut self, collection: &str, key: &str) -> Result<Option<(u64, String)>, Error> {
        let Some(number) = self.collections.number(collection)? else { return Ok(None) };
        let name = value::name(number, key);
        let found = self.documents.get(&*name)?;
        found.map(|row| Ok((number, value::fields(&name, row.value())?))).transpose()
    }

    pub(super) fn delete(&mut self, collection: &str, key: &str) -> Result<(), Error> {
        let Some(number) = self.collections.number(collection)? else { return Ok(()) };
        if self.documents.remove(&*value::name(number, key))?.is_none() {
            return Ok(());
        }
        self.collections.subtract(collection)?;
        self.log.changed(collection, key, || self.documents.len())
    }

    /// Removes the name of a collection, and returns the number of its documents; `purge` removes the documents.
    pub(super) fn clear(&mut self, collection: &str) -> Result<u64, Error> {
        let count = self.collections.count(collection)?;
        if let Some(number) = self.collections.remove(collection)? {
            self.cleared.insert(number, purge::sum_of_cleared(number))?;
            self.needs_purge = true;
            self.log.cleared(number)?;
        }
        Ok(count)
    }

    fn remove_some(&mut self, number: u64) -> Result<bool, Error> {
        let (first, end) = (number.to_be_bytes(), (number + 1).to_be_bytes());
        purge::remove(&mut self.documents, &first, &first[..], &end[..])
    }
}

impl TableSet for Tables<'_> {
    fn open_each(transaction: &WriteTransaction) -> Result<(), Error> {
        Collections::open_each(transaction, &DEFINITIONS)?;
        drop(transaction.open_table(DOCUMENTS)?);
        drop(transaction.open_table(CLEARED)?);
        Log::probe(transaction, LOG)
    }

    fn write_back(&mut self) -> Result<(), Error> {
        self.collections.write_back()?;
        self.log.write_back()
    }

    fn needs_purge(&self) -> bool {
        self.needs_purge || self.log.needs_purge()
    }

    fn purge(&mut self, until: Instant) -> Result<(), Error> {
        if !self.needs_purge {
            return self.log.purge(until);
        }
        self.needs_purge = !purge_cleared(self, |tables| &mut tables.cleared, Self::remove_some, until)?;
        Ok(())
    }

    fn check(transaction: &ReadTransaction, problems: &mut Problems) -> Result<(), Error> {
        check::check(transaction, problems)
    }

    fn holds_nothing(transaction: &ReadTransaction) -> Result<bool, Error> {
        Ok(transaction.open_table(COLLECTIONS)?.first()?.is_none())
    }
}

/// A step of reading documents ends when it has read this much.
const STEP_DOCUMENTS: usize = 1_000;
const STEP_BYTES: usize = 1 << 20;

impl<'t> Source<'t> for Tables<'t> {
    fn log(&mut self) -> &mut Log<'t> {
        &mut self.log
    }

    fn document(&mut self, collection: &str, key: &str) -> Result<Option<Numbered>, Error> {
        self.get(collection, key)
    }

    fn step(&mut self, collection: &str, after: &str) -> Result<Option<Step>, Error> {
        use std::ops::Bound::Excluded;
        let Some(number) = self.collections.number(collection)? else { return Ok(None) };
        let (start, end) = (value::name(number, after), (number + 1).to_be_bytes());
        let (mut documents, mut size) = (Vec::new(), 0);
        for found in self.documents.range::<&[u8]>((Excluded(&*start), Excluded(&end[..])))? {
            let (name, row) = found?;
            size += row.value().len();
            documents.push((value::key(name.value())?, value::fields(name.value(), row.value())?));
            if documents.len() >= STEP_DOCUMENTS || size >= STEP_BYTES {
                break;
            }
        }
        Ok(Some(Step { number, documents }))
    }

    fn collections(&self) -> Result<Vec<String>, Error> {
        self.collections.names()
    }

    fn count(&mut self, collection: &str) -> Result<u64, Error> {
        self.collections.count(collection)
    }
}
