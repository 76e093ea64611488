//! The tables of the documents that are searched, and what is done with a document.
//!
//! As in the store, a collection has a number, documents are keyed by it, and `clear` is to forget it. What an index is to
//! take in is logged beside.

use std::time::Instant;

use redb::{Error, ReadableTable, ReadableTableMetadata, TableDefinition, WriteTransaction};

use super::value;
use crate::{
    g::{
        collections::{ByName, Collections, Counters, Definitions},
        rows,
    },
    index::{self, Log},
    workspace::{Opening, Table},
};

type Bytes = &'static [u8];

pub(super) const COLLECTIONS: ByName = TableDefinition::new("search.collections");
pub(super) const COUNTERS: Counters = TableDefinition::new("search.counters");
pub(super) const DEFINITIONS: Definitions = Definitions { collections: COLLECTIONS, counters: COUNTERS };
/// Number and key → checksum, and JSON of the fields.
pub(super) const DOCUMENTS: TableDefinition<'static, Bytes, Bytes> = TableDefinition::new("search.documents");
/// Numbers of collections that were cleared and whose rows are still to be removed → checksum.
pub(super) const CLEARED: TableDefinition<'static, u64, u32> = TableDefinition::new("search.cleared");
/// What the index has not taken in yet.
pub(super) const LOG: index::Definition = TableDefinition::new("search.index");

/// The tables, open.
pub(crate) struct Tables<'t> {
    pub(super) collections: Collections<'t>,
    documents: Table<'t, Bytes, Bytes>,
    cleared: Table<'t, u64, u32>,
    pub(super) log: Log<'t>,
    untidy: bool,
}

impl<'t> Tables<'t> {
    pub(crate) fn open(opening: &Opening<'t>) -> Result<Self, Error> {
        let cleared = opening.open_table(CLEARED)?;
        let untidy = cleared.first()?.is_some();
        Ok(Self {
            collections: Collections::open(opening, &DEFINITIONS)?,
            documents: opening.open_table(DOCUMENTS)?,
            cleared,
            log: Log::open(opening, LOG)?,
            untidy,
        })
    }

    /// Opens each table and closes it before the next.
    pub(crate) fn look_at_each(transaction: &WriteTransaction) -> Result<(), Error> {
        Collections::look_at_each(transaction, &DEFINITIONS)?;
        drop(transaction.open_table(DOCUMENTS)?);
        drop(transaction.open_table(CLEARED)?);
        Log::look_at(transaction, LOG)
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

    pub(super) fn put(&mut self, collection: &str, key: &str, fields: &str) -> Result<(), Error> {
        let number = self.collections.enter(collection)?;
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

    /// Removes a collection, and gives the number of its documents; its rows go later.
    pub(super) fn clear(&mut self, collection: &str) -> Result<u64, Error> {
        let count = self.collections.count(collection)?;
        if let Some(number) = self.collections.remove(collection)? {
            self.cleared.insert(number, rows::sum_of_cleared(number))?;
            self.untidy = true;
            self.log.cleared(number)?;
        }
        Ok(count)
    }

    /// Documents of a collection after a key, by their keys: up to so many, or so many bytes.
    pub(super) fn step(
        &mut self,
        collection: &str,
        after: &str,
        most: usize,
        bytes: usize,
    ) -> Result<Option<index::Step>, Error> {
        use std::ops::Bound::Excluded;
        let Some(number) = self.collections.number(collection)? else { return Ok(None) };
        let (start, end) = (value::name(number, after), (number + 1).to_be_bytes());
        let (mut documents, mut size) = (Vec::new(), 0);
        for found in self.documents.range::<&[u8]>((Excluded(&*start), Excluded(&end[..])))? {
            let (name, row) = found?;
            size += row.value().len();
            documents.push((value::key(name.value())?, value::fields(name.value(), row.value())?));
            if documents.len() >= most || size >= bytes {
                break;
            }
        }
        Ok(Some(index::Step { number, documents }))
    }

    /// Whether rows are left that nobody can see.
    pub(crate) fn is_untidy(&self) -> bool {
        self.untidy || self.log.is_untidy()
    }

    /// Removes rows that nobody can see, some at least, and until the time is up.
    pub(crate) fn tidy(&mut self, until: Instant) -> Result<(), Error> {
        if !self.untidy {
            return self.log.tidy(until);
        }
        self.untidy = !rows::tidy(self, |tables| &mut tables.cleared, Self::remove_some, until)?;
        Ok(())
    }

    fn remove_some(&mut self, number: u64) -> Result<bool, Error> {
        let (first, end) = (number.to_be_bytes(), (number + 1).to_be_bytes());
        rows::remove(&mut self.documents, &first, &first[..], &end[..])
    }
}
