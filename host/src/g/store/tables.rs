//! The tables of the store, and what is done with them.
//!
//! A collection has a number. Documents and their places in the two orders are keyed by it, so that names are stored
//! once, and `clear` is to forget the number: its rows are removed in steps, with later commits.

use std::{
    collections::BTreeMap,
    time::{SystemTime, UNIX_EPOCH},
};

use redb::{Error, ReadableTable, StorageError, Table, TableDefinition, WriteTransaction};

use super::{
    ListOptions, Sort,
    value::{self, Document, Moment},
};

type Bytes = &'static [u8];

/// Number and key → both moments and the JSON.
const DOCUMENTS: TableDefinition<'static, Bytes, Bytes> = TableDefinition::new("store.documents");
/// Number and moment → key.
const BY_CREATED: TableDefinition<'static, Bytes, Bytes> = TableDefinition::new("store.by-created");
const BY_UPDATED: TableDefinition<'static, Bytes, Bytes> = TableDefinition::new("store.by-updated");
/// Name → number and count of documents.
const COLLECTIONS: TableDefinition<'static, &'static str, (u64, u64)> = TableDefinition::new("store.collections");
/// Numbers whose rows are to be removed.
const CLEARED: TableDefinition<'static, u64, ()> = TableDefinition::new("store.cleared");
/// The last sequence and the last number given.
const COUNTERS: TableDefinition<'static, &'static str, u64> = TableDefinition::new("store.counters");
const SEQUENCE: &str = "sequence";
const NUMBER: &str = "collection";

/// How many documents of cleared collections are removed with one commit.
const CLEARED_STEP: usize = 10_000;

/// The tables, open, with what is kept in memory between commits.
pub(crate) struct Tables<'t> {
    documents: Table<'t, Bytes, Bytes>,
    by_created: Table<'t, Bytes, Bytes>,
    by_updated: Table<'t, Bytes, Bytes>,
    collections: Table<'t, &'static str, (u64, u64)>,
    cleared: Table<'t, u64, ()>,
    counters: Table<'t, &'static str, u64>,
    /// The collections that were used since the last commit.
    used: BTreeMap<String, Collection>,
    sequence: u64,
    number: u64,
    written: usize,
    clock: fn() -> u64,
    key: Vec<u8>,
    row: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Collection {
    number: u64,
    count: u64,
    changed: bool,
}

impl<'t> Tables<'t> {
    pub(crate) fn open(transaction: &'t WriteTransaction) -> Result<Self, Error> {
        let counters = transaction.open_table(COUNTERS)?;
        let counter = |name: &str| Ok::<_, StorageError>(counters.get(name)?.map_or(0, |counter| counter.value()));
        Ok(Self {
            documents: transaction.open_table(DOCUMENTS)?,
            by_created: transaction.open_table(BY_CREATED)?,
            by_updated: transaction.open_table(BY_UPDATED)?,
            collections: transaction.open_table(COLLECTIONS)?,
            cleared: transaction.open_table(CLEARED)?,
            sequence: counter(SEQUENCE)?,
            number: counter(NUMBER)?,
            counters,
            used: BTreeMap::new(),
            written: 0,
            clock: milliseconds,
            key: Vec::new(),
            row: Vec::new(),
        })
    }

    /// How many bytes were written since the last commit.
    pub(crate) fn written(&self) -> usize {
        self.written
    }

    /// Writes what was kept in memory, and removes some rows of cleared collections. True when some are left.
    pub(crate) fn write_back(&mut self) -> Result<bool, Error> {
        for (name, collection) in self.used.iter().filter(|(_, collection)| collection.changed) {
            match collection.count {
                0 => drop(self.collections.remove(name.as_str())?),
                count => drop(self.collections.insert(name.as_str(), (collection.number, count))?),
            }
        }
        self.counters.insert(SEQUENCE, self.sequence)?;
        self.counters.insert(NUMBER, self.number)?;
        self.remove_cleared()
    }

    pub(super) fn put(&mut self, collection: &str, key: &str, data: &str) -> Result<(), Error> {
        let mut found = self.collection(collection)?.map_or_else(|| self.new_collection(), Ok)?;
        let updated = self.moment();
        value::document_key(found.number, key.as_bytes(), &mut self.key);
        let old = self.documents.get(&*self.key)?.and_then(|row| value::moments(row.value()));
        let created = old.map_or(updated, |(created, _)| created);
        value::row(created, updated, data, &mut self.row);
        self.documents.insert(&*self.key, &*self.row)?;
        match old {
            Some((_, old)) => drop(self.by_updated.remove(&value::order_key(found.number, old)[..])?),
            None => {
                self.by_created.insert(&value::order_key(found.number, created)[..], key.as_bytes())?;
                found.count += 1;
            }
        }
        self.by_updated.insert(&value::order_key(found.number, updated)[..], key.as_bytes())?;
        self.written += self.key.len() + self.row.len();
        self.keep(collection, found);
        Ok(())
    }

    pub(super) fn get(&mut self, collection: &str, key: &str) -> Result<Option<Document>, Error> {
        let Some(collection) = self.collection(collection)? else { return Ok(None) };
        self.document(collection.number, key.as_bytes())
    }

    pub(super) fn delete(&mut self, collection: &str, key: &str) -> Result<bool, Error> {
        let Some(mut found) = self.collection(collection)? else { return Ok(false) };
        value::document_key(found.number, key.as_bytes(), &mut self.key);
        let Some((created, updated)) = self.documents.remove(&*self.key)?.and_then(|row| value::moments(row.value()))
        else {
            return Ok(false);
        };
        self.by_created.remove(&value::order_key(found.number, created)[..])?;
        self.by_updated.remove(&value::order_key(found.number, updated)[..])?;
        found.count -= 1;
        self.written += self.key.len();
        self.keep(collection, found);
        Ok(true)
    }

    pub(super) fn count(&mut self, collection: &str) -> Result<u64, Error> {
        Ok(self.collection(collection)?.map_or(0, |collection| collection.count))
    }

    /// The collection's number is forgotten; its rows go later.
    pub(super) fn clear(&mut self, collection: &str) -> Result<(), Error> {
        let Some(found) = self.collection(collection)?.filter(|collection| collection.count > 0) else { return Ok(()) };
        self.cleared.insert(found.number, ())?;
        self.written += collection.len();
        let fresh = Collection { count: 0, ..self.new_collection()? };
        self.keep(collection, fresh);
        Ok(())
    }

    pub(super) fn collections(&mut self) -> Result<Vec<String>, Error> {
        let mut counts = BTreeMap::new();
        for entry in self.collections.iter()? {
            let (name, collection) = entry?;
            counts.insert(name.value().to_owned(), collection.value().1);
        }
        counts.extend(self.used.iter().map(|(name, collection)| (name.clone(), collection.count)));
        Ok(counts.into_iter().filter(|(_, count)| *count > 0).map(|(name, _)| name).collect())
    }

    /// A page. None when it is larger than `page_bytes`.
    pub(super) fn list(
        &mut self,
        collection: &str,
        options: &ListOptions,
        page_bytes: usize,
    ) -> Result<Option<Vec<Document>>, Error> {
        let Some(collection) = self.collection(collection)? else { return Ok(Some(Vec::new())) };
        let mut page = Vec::new();
        let mut bytes = 0;
        for key in self.keys(collection.number, options)? {
            let Some(document) = self.document(collection.number, &key)? else { return Err(damaged()) };
            bytes += document.data.len();
            if bytes > page_bytes {
                return Ok(None);
            }
            page.push(document);
        }
        Ok(Some(page))
    }

    /// The keys of a page, in its order.
    fn keys(&self, number: u64, options: &ListOptions) -> Result<Vec<Vec<u8>>, Error> {
        let (first, end) = (number.to_be_bytes(), (number + 1).to_be_bytes());
        let (skip, take) = (options.offset as usize, options.limit as usize);
        let table = match options.sort {
            Sort::Key => {
                let rows = self.documents.range::<&[u8]>(&first[..]..&end[..])?;
                return page(rows, options.descending, skip, take, |key, _| key[8..].to_vec());
            }
            Sort::CreatedAt => &self.by_created,
            Sort::UpdatedAt => &self.by_updated,
        };
        page(table.range::<&[u8]>(&first[..]..&end[..])?, options.descending, skip, take, |_, key| key.to_vec())
    }

    fn document(&mut self, number: u64, key: &[u8]) -> Result<Option<Document>, Error> {
        value::document_key(number, key, &mut self.key);
        let Some(row) = self.documents.get(&*self.key)? else { return Ok(None) };
        value::document(key, row.value()).map(Some).ok_or_else(damaged)
    }

    fn collection(&self, name: &str) -> Result<Option<Collection>, Error> {
        if let Some(used) = self.used.get(name) {
            return Ok(Some(*used));
        }
        let stored = self.collections.get(name)?.map(|collection| collection.value());
        Ok(stored.map(|(number, count)| Collection { number, count, changed: false }))
    }

    fn new_collection(&mut self) -> Result<Collection, Error> {
        self.number += 1;
        Ok(Collection { number: self.number, count: 0, changed: true })
    }

    fn keep(&mut self, name: &str, collection: Collection) {
        let collection = Collection { changed: true, ..collection };
        match self.used.get_mut(name) {
            Some(used) => *used = collection,
            None => drop(self.used.insert(name.to_owned(), collection)),
        }
    }

    fn moment(&mut self) -> Moment {
        self.sequence += 1;
        Moment { time: (self.clock)(), sequence: self.sequence }
    }

    /// Removes some rows of cleared collections. True when some are left.
    fn remove_cleared(&mut self) -> Result<bool, Error> {
        let mut left = CLEARED_STEP;
        loop {
            let first = self.cleared.first()?.map(|(number, _)| number.value());
            let Some(number) = first else { return Ok(false) };
            let (first, end) = (number.to_be_bytes(), (number + 1).to_be_bytes());
            for table in [&mut self.documents, &mut self.by_created, &mut self.by_updated] {
                let rows = table.extract_from_if::<&[u8], _>(&first[..]..&end[..], |_, _| true)?;
                for row in rows.take(left) {
                    row?;
                    left -= 1;
                }
                if left == 0 {
                    return Ok(true);
                }
            }
            self.cleared.remove(number)?;
        }
    }

    #[cfg(test)]
    pub(crate) fn set_clock(&mut self, clock: fn() -> u64) {
        self.clock = clock;
    }
}

type Rows<'a> = redb::Range<'a, Bytes, Bytes>;

/// Some rows of a range, from either end.
fn page(
    rows: Rows<'_>,
    descending: bool,
    skip: usize,
    take: usize,
    read: impl Fn(&[u8], &[u8]) -> Vec<u8>,
) -> Result<Vec<Vec<u8>>, Error> {
    let read = |row: Result<(redb::AccessGuard<'_, Bytes>, redb::AccessGuard<'_, Bytes>), StorageError>| {
        let (key, value) = row?;
        Ok(read(key.value(), value.value()))
    };
    match descending {
        false => rows.skip(skip).take(take).map(read).collect(),
        true => rows.rev().skip(skip).take(take).map(read).collect(),
    }
}

fn damaged() -> Error {
    Error::Corrupted("a row of the store".into())
}

/// Milliseconds since 1970.
fn milliseconds() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
