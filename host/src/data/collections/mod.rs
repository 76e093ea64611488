//! The collections of `store` and `search`: their names, numbers and counts, and the counters of the namespace.
//!
//! A collection has a row while it contains a document. Counts and counters change with every document, so they are
//! kept in memory and written at each commit.

mod check;

use std::{collections::HashMap, ops::Bound};

use redb::{AccessGuard, Error, ReadableTable, ReadableTableMetadata, StorageError, TableDefinition, WriteTransaction};

use super::{Dirty, Opening, Table, checksum::checksum};
pub(crate) use check::Check;

/// Name → number, count of documents, checksum.
pub(crate) type ByName = TableDefinition<'static, &'static str, (u64, u64, u32)>;
/// The last allocated sequence number and collection number, and the count of collections; each with a checksum.
pub(crate) type Counters = TableDefinition<'static, &'static str, (u64, u32)>;

/// The tables in which collections are stored.
pub(crate) struct Definitions {
    pub(crate) collections: ByName,
    pub(crate) counters: Counters,
}

/// The numbers of cleared collections whose rows still have to be removed, each with a checksum.
pub(crate) type Cleared = TableDefinition<'static, u64, u32>;

pub(crate) const SEQUENCE: &str = "sequence";
const NUMBER: &str = "number";
const TOTAL: &str = "collections";

/// The maximum number of collections that are kept in memory.
const MAX_KEPT: usize = 1_024;

type Row<'r> = (AccessGuard<'r, &'static str>, AccessGuard<'r, (u64, u64, u32)>);

pub(crate) struct Collections<'t> {
    table: Table<'t, &'static str, (u64, u64, u32)>,
    counters: Table<'t, &'static str, (u64, u32)>,
    kept: HashMap<String, Collection>,
    sequence: u64,
    number: u64,
    total: u64,
    changed: Dirty,
}

#[derive(Clone, Copy)]
struct Collection {
    number: u64,
    count: u64,
    changed: bool,
}

impl Collection {
    fn row(&self, name: &str) -> (u64, u64, u32) {
        (self.number, self.count, sum_of(name, &[self.number, self.count]))
    }
}

/// Returns the collection of a row. Fails if the checksum is wrong.
fn checked(name: &str, (number, count, sum): (u64, u64, u32)) -> Result<Collection, Error> {
    let collection = Collection { number, count, changed: false };
    if sum == sum_of(name, &[number, count]) { Ok(collection) } else { Err(damaged()) }
}

/// Returns the value of a counter; 0 without a row. Fails if the checksum is wrong.
pub(crate) fn counter(name: &str, row: Option<(u64, u32)>) -> Result<u64, Error> {
    match row {
        None => Ok(0),
        Some((value, sum)) if sum == sum_of(name, &[value]) => Ok(value),
        Some(_) => Err(damaged()),
    }
}

fn name_of((name, row): &Row<'_>) -> Result<String, Error> {
    checked(name.value(), row.value()).map(|_| name.value().to_owned())
}

fn sum_of(name: &str, values: &[u64]) -> u32 {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
    checksum(&[name.as_bytes(), &bytes])
}

impl<'t> Collections<'t> {
    pub(crate) fn open(opening: &Opening<'t>, definitions: &Definitions) -> Result<Self, Error> {
        let table = opening.open_table(definitions.collections)?;
        let counters = opening.open_table(definitions.counters)?;
        let counter = |name| counter(name, counters.get(name)?.map(|row| row.value()));
        let (sequence, number, total) = (counter(SEQUENCE)?, counter(NUMBER)?, counter(TOTAL)?);
        // A corrupt table may look like one with fewer rows.
        if table.len()? != total {
            return Err(damaged());
        }
        Ok(Self { table, counters, kept: HashMap::new(), sequence, number, total, changed: opening.dirty() })
    }

    pub(crate) fn open_each(transaction: &WriteTransaction, definitions: &Definitions) -> Result<(), Error> {
        drop(transaction.open_table(definitions.collections)?);
        drop(transaction.open_table(definitions.counters)?);
        Ok(())
    }

    pub(crate) fn write_back(&mut self) -> Result<(), Error> {
        for (name, collection) in self.kept.iter_mut().filter(|(_, collection)| collection.changed) {
            self.table.write_back(name.as_str(), collection.row(name))?;
            collection.changed = false;
        }
        if self.changed.take() {
            for (name, value) in [(SEQUENCE, self.sequence), (NUMBER, self.number), (TOTAL, self.total)] {
                self.counters.write_back(name, (value, sum_of(name, &[value])))?;
            }
        }
        Ok(())
    }

    /// Allocates the sequence number of a write.
    pub(crate) fn next_sequence(&mut self) -> u64 {
        self.changed.set();
        self.sequence += 1;
        self.sequence
    }

    /// Returns the number of a collection, if it exists.
    pub(crate) fn number(&mut self, name: &str) -> Result<Option<u64>, Error> {
        Ok(self.find(name)?.map(|collection| collection.number))
    }

    /// Returns the number of a collection to which a document is about to be added; creates the collection if needed.
    pub(crate) fn number_or_create(&mut self, name: &str) -> Result<u64, Error> {
        if let Some(collection) = self.find(name)? {
            return Ok(collection.number);
        }
        self.changed.set();
        self.total += 1;
        self.number += 1;
        let collection = Collection { number: self.number, count: 0, changed: true };
        self.table.insert(name, collection.row(name))?;
        self.keep(name, collection)?;
        Ok(collection.number)
    }

    pub(crate) fn count(&mut self, name: &str) -> Result<u64, Error> {
        Ok(self.find(name)?.map_or(0, |collection| collection.count))
    }

    /// Counts a document that was added.
    pub(crate) fn add(&mut self, name: &str) -> Result<(), Error> {
        let collection = self.find(name)?.ok_or_else(damaged)?;
        collection.count += 1;
        collection.changed = true;
        self.changed.set();
        Ok(())
    }

    /// Subtracts a document that was removed. Removes the collection with its last document.
    pub(crate) fn subtract(&mut self, name: &str) -> Result<(), Error> {
        let collection = self.find(name)?.filter(|collection| collection.count > 0).ok_or_else(damaged)?;
        collection.count -= 1;
        collection.changed = true;
        if collection.count == 0 {
            self.remove(name)?;
        }
        self.changed.set();
        Ok(())
    }

    /// Removes a collection, and returns its number.
    pub(crate) fn remove(&mut self, name: &str) -> Result<Option<u64>, Error> {
        self.kept.remove(name);
        let removed = self.table.remove(name)?.map(|row| checked(name, row.value())).transpose()?;
        let Some(Collection { number, .. }) = removed else { return Ok(None) };
        self.changed.set();
        self.total = self.total.checked_sub(1).ok_or_else(damaged)?;
        Ok(Some(number))
    }

    /// Returns the names of all collections, ascending by their bytes.
    pub(crate) fn names(&self) -> Result<Vec<String>, Error> {
        self.table.iter()?.map(|row| name_of(&row?)).collect()
    }

    /// Returns the first name after another in the order of their bytes.
    pub(crate) fn next_after(&self, name: &str) -> Result<Option<String>, Error> {
        let names = (Bound::Excluded(name), Bound::Unbounded);
        self.table.range::<&str>(names)?.next().map(|row| name_of(&row?)).transpose()
    }

    fn find(&mut self, name: &str) -> Result<Option<&mut Collection>, Error> {
        if !self.kept.contains_key(name) {
            let Some(row) = self.table.get(name)?.map(|row| row.value()) else { return Ok(None) };
            self.keep(name, checked(name, row)?)?;
        }
        Ok(self.kept.get_mut(name))
    }

    fn keep(&mut self, name: &str, collection: Collection) -> Result<(), Error> {
        if self.kept.len() >= MAX_KEPT {
            self.write_back()?;
            self.kept.clear();
        }
        self.kept.insert(name.to_owned(), collection);
        Ok(())
    }
}

pub(crate) fn damaged() -> Error {
    StorageError::Corrupted("a row of a collection".into()).into()
}

#[cfg(test)]
mod tests {
    use redb::{Database, backends::InMemoryBackend};

    use super::*;

    #[test]
    fn a_damaged_row_of_a_collection_gives_no_number_to_clear() {
        let database = Database::builder().create_with_backend(InMemoryBackend::new()).unwrap();
        let transaction = database.begin_write().unwrap();
        let definitions = Definitions {
            collections: TableDefinition::new("collections"),
            counters: TableDefinition::new("counters"),
        };
        let mut collections = Collections::open(&Opening::new(&transaction), &definitions).unwrap();
        let number = collections.number_or_create("a").unwrap();
        collections.add("a").unwrap();
        collections.write_back().unwrap();
        let (stored, count, sum) = collections.table.get("a").unwrap().unwrap().value();
        assert_eq!((stored, count), (number, 1));
        collections.table.insert("a", (number ^ 2, count, sum)).unwrap();
        assert!(matches!(collections.remove("a"), Err(Error::Corrupted(_))));
    }
}
