//! The tables of the documents that are searched, and what is done with a document.
//!
//! As in the store, a collection has a number, documents are keyed by it, and `clear` is to forget it. What an index is to
//! take in is logged beside.

use std::time::Instant;

use redb::{Error, ReadableTable, StorageError, Table, TableDefinition, WriteTransaction};

use crate::{
    g::collections::{Collections, Definitions},
    index::{self, Log},
};

type Bytes = &'static [u8];

const NAMES: Definitions = Definitions {
    collections: TableDefinition::new("search.collections"),
    counters: TableDefinition::new("search.counters"),
};
/// Number and key → JSON of the fields.
const DOCUMENTS: TableDefinition<'static, Bytes, Bytes> = TableDefinition::new("search.documents");
/// Numbers of collections that were cleared and whose rows are still to be removed.
const CLEARED: TableDefinition<'static, u64, ()> = TableDefinition::new("search.cleared");
const LOG: index::Definition = TableDefinition::new("search.index");

/// How many rows are removed between two looks at the clock.
const ROWS: usize = 64;

/// The tables, open.
pub(crate) struct Tables<'t> {
    pub(super) collections: Collections<'t>,
    documents: Table<'t, Bytes, Bytes>,
    cleared: Table<'t, u64, ()>,
    pub(super) log: Log<'t>,
    untidy: bool,
}

impl<'t> Tables<'t> {
    pub(crate) fn open(transaction: &'t WriteTransaction) -> Result<Self, Error> {
        let cleared = transaction.open_table(CLEARED)?;
        let untidy = cleared.first()?.is_some();
        Ok(Self {
            collections: Collections::open(transaction, &NAMES)?,
            documents: transaction.open_table(DOCUMENTS)?,
            cleared,
            log: Log::open(transaction, LOG)?,
            untidy,
        })
    }

    /// Opens each table and closes it before the next.
    pub(crate) fn look_at_each(transaction: &WriteTransaction) -> Result<(), Error> {
        Collections::look_at_each(transaction, &NAMES)?;
        drop(transaction.open_table(DOCUMENTS)?);
        drop(transaction.open_table(CLEARED)?);
        Log::look_at(transaction, LOG)
    }

    /// Writes what is kept in memory until the commit.
    pub(crate) fn write_back(&mut self) -> Result<(), Error> {
        self.collections.write_back()
    }

    pub(super) fn put(&mut self, collection: &str, key: &str, fields: &str) -> Result<(), Error> {
        let number = self.collections.enter(collection)?;
        let is_new = self.documents.insert(&*row(number, key), fields.as_bytes())?.is_none();
        if is_new {
            self.collections.add(collection)?;
        }
        self.log.changed(collection, key)
    }

    pub(super) fn get(&mut self, collection: &str, key: &str) -> Result<Option<(u64, String)>, Error> {
        let Some(number) = self.collections.number(collection)? else { return Ok(None) };
        let found = self.documents.get(&*row(number, key))?;
        found.map(|fields| Ok((number, text(fields.value())?))).transpose()
    }

    pub(super) fn delete(&mut self, collection: &str, key: &str) -> Result<bool, Error> {
        let Some(number) = self.collections.number(collection)? else { return Ok(false) };
        if self.documents.remove(&*row(number, key))?.is_none() {
            return Ok(false);
        }
        self.collections.subtract(collection)?;
        self.log.changed(collection, key)?;
        Ok(true)
    }

    /// Removes a collection, and gives the number of its documents; its rows go later.
    pub(super) fn clear(&mut self, collection: &str) -> Result<u64, Error> {
        let count = self.collections.count(collection)?;
        if let Some(number) = self.collections.remove(collection)? {
            self.cleared.insert(number, ())?;
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
        let (start, end) = (row(number, after), (number + 1).to_be_bytes());
        let (mut documents, mut size) = (Vec::new(), 0);
        for found in self.documents.range::<&[u8]>((Excluded(&*start), Excluded(&end[..])))? {
            let (name, fields) = found?;
            size += fields.value().len();
            documents.push((text(name.value().get(8..).unwrap_or_default())?, text(fields.value())?));
            if documents.len() >= most || size >= bytes {
                break;
            }
        }
        Ok(Some(index::Step { number, documents }))
    }

    /// Whether rows of cleared collections are left.
    pub(crate) fn is_untidy(&self) -> bool {
        self.untidy
    }

    /// Removes rows of cleared collections, some at least, and until the time is up. Gives about how many bytes.
    pub(crate) fn tidy(&mut self, until: Instant) -> Result<usize, Error> {
        let mut bytes = 0;
        loop {
            let Some(number) = self.cleared.first()?.map(|(number, _)| number.value()) else {
                self.untidy = false;
                return Ok(bytes);
            };
            let removed = self.remove_some(number)?;
            if removed == 0 {
                self.cleared.remove(number)?;
            }
            bytes += removed.max(1);
            if Instant::now() >= until {
                return Ok(bytes);
            }
        }
    }

    fn remove_some(&mut self, number: u64) -> Result<usize, Error> {
        let (first, end) = (number.to_be_bytes(), (number + 1).to_be_bytes());
        let (mut rows, mut bytes) = (Vec::new(), 0);
        for found in self.documents.range::<&[u8]>(&first[..]..&end[..])?.take(ROWS) {
            let (row, fields) = found?;
            bytes += fields.value().len();
            rows.push(row.value().to_vec());
        }
        for row in &rows {
            self.documents.remove(&**row)?;
        }
        Ok(bytes.max(rows.len()))
    }
}

fn row(number: u64, key: &str) -> Vec<u8> {
    [&number.to_be_bytes()[..], key.as_bytes()].concat()
}

fn text(bytes: &[u8]) -> Result<String, Error> {
    String::from_utf8(bytes.to_vec()).map_err(|_| StorageError::Corrupted("a row of g.search".into()).into())
}
