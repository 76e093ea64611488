//! The collections: their names, numbers and counts, and the counters of the store.
//!
//! A collection has a row while it holds a document. Counts and counters change with every document, so they are kept in
//! memory and written once for a commit.

use std::{collections::HashMap, ops::Bound};

use redb::{Error, ReadableTable, StorageError, Table, TableDefinition, WriteTransaction};

/// Where collections are stored.
pub(crate) struct Definitions {
    /// Name → number, and count of documents.
    pub(crate) collections: TableDefinition<'static, &'static str, (u64, u64)>,
    /// The last sequence and the last number that were given.
    pub(crate) counters: TableDefinition<'static, &'static str, u64>,
}

pub(crate) const SEQUENCE: &str = "sequence";
pub(crate) const NUMBER: &str = "number";

/// How many collections are kept in memory.
const KEPT: usize = 1_024;

pub(crate) struct Collections<'t> {
    table: Table<'t, &'static str, (u64, u64)>,
    counters: Table<'t, &'static str, u64>,
    kept: HashMap<String, Collection>,
    sequence: u64,
    number: u64,
    changed: bool,
}

#[derive(Clone, Copy)]
struct Collection {
    number: u64,
    count: u64,
    changed: bool,
}

impl<'t> Collections<'t> {
    pub(crate) fn open(transaction: &'t WriteTransaction, definitions: &Definitions) -> Result<Self, Error> {
        let table = transaction.open_table(definitions.collections)?;
        let counters = transaction.open_table(definitions.counters)?;
        let counter = |name| Ok::<_, Error>(counters.get(name)?.map_or(0, |value| value.value()));
        let (sequence, number) = (counter(SEQUENCE)?, counter(NUMBER)?);
        Ok(Self { table, counters, kept: HashMap::new(), sequence, number, changed: false })
    }

    pub(crate) fn look_at_each(transaction: &WriteTransaction, definitions: &Definitions) -> Result<(), Error> {
        drop(transaction.open_table(definitions.collections)?);
        drop(transaction.open_table(definitions.counters)?);
        Ok(())
    }

    pub(crate) fn write_back(&mut self) -> Result<(), Error> {
        for (name, collection) in self.kept.iter_mut().filter(|(_, collection)| collection.changed) {
            self.table.insert(name.as_str(), (collection.number, collection.count))?;
            collection.changed = false;
        }
        if self.changed {
            self.counters.insert(SEQUENCE, self.sequence)?;
            self.counters.insert(NUMBER, self.number)?;
            self.changed = false;
        }
        Ok(())
    }

    /// The number for a write, after all that were given before.
    pub(crate) fn next_sequence(&mut self) -> u64 {
        self.changed = true;
        self.sequence += 1;
        self.sequence
    }

    /// The number of a collection that is there.
    pub(crate) fn number(&mut self, name: &str) -> Result<Option<u64>, Error> {
        Ok(self.find(name)?.map(|collection| collection.number))
    }

    /// The number of a collection, new or not: a document is about to be added to it.
    pub(crate) fn enter(&mut self, name: &str) -> Result<u64, Error> {
        if let Some(collection) = self.find(name)? {
            return Ok(collection.number);
        }
        self.changed = true;
        self.number += 1;
        let collection = Collection { number: self.number, count: 0, changed: true };
        self.table.insert(name, (collection.number, collection.count))?;
        self.keep(name, collection)?;
        Ok(collection.number)
    }

    pub(crate) fn count(&mut self, name: &str) -> Result<u64, Error> {
        Ok(self.find(name)?.map_or(0, |collection| collection.count))
    }

    /// A document was added.
    pub(crate) fn add(&mut self, name: &str) -> Result<(), Error> {
        let collection = self.find(name)?.ok_or_else(damaged)?;
        collection.count += 1;
        collection.changed = true;
        Ok(())
    }

    /// A document was removed; with the last one goes the collection.
    pub(crate) fn subtract(&mut self, name: &str) -> Result<(), Error> {
        let collection = self.find(name)?.filter(|collection| collection.count > 0).ok_or_else(damaged)?;
        collection.count -= 1;
        collection.changed = true;
        if collection.count == 0 {
            self.remove(name)?;
        }
        Ok(())
    }

    /// Removes a collection, and gives the number that it had.
    pub(crate) fn remove(&mut self, name: &str) -> Result<Option<u64>, Error> {
        self.kept.remove(name);
        Ok(self.table.remove(name)?.map(|removed| removed.value().0))
    }

    /// All names, ascending by their bytes.
    pub(crate) fn names(&self) -> Result<Vec<String>, Error> {
        self.table.iter()?.map(|row| Ok(row?.0.value().to_owned())).collect()
    }

    /// The first name after another, by their bytes.
    pub(crate) fn next_after(&self, name: &str) -> Result<Option<String>, Error> {
        let names = (Bound::Excluded(name), Bound::Unbounded);
        self.table.range::<&str>(names)?.next().map(|row| Ok(row?.0.value().to_owned())).transpose()
    }

    fn find(&mut self, name: &str) -> Result<Option<&mut Collection>, Error> {
        if !self.kept.contains_key(name) {
            let Some((number, count)) = self.table.get(name)?.map(|row| row.value()) else { return Ok(None) };
            self.keep(name, Collection { number, count, changed: false })?;
        }
        Ok(self.kept.get_mut(name))
    }

    fn keep(&mut self, name: &str, collection: Collection) -> Result<(), Error> {
        if self.kept.len() >= KEPT {
            self.write_back()?;
            self.kept.clear();
        }
        self.kept.insert(name.to_owned(), collection);
        Ok(())
    }
}

fn damaged() -> Error {
    StorageError::Corrupted("a row of a collection".into()).into()
}
