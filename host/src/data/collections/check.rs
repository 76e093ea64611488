//! Checks that the rows of collections agree with their documents.

use std::collections::{HashMap, HashSet};

use redb::{Error, ReadTransaction, ReadableTable};

use super::{Cleared, Counters, Definitions, NUMBER, checked, counter};
use crate::data::{Problems, purge::sum_of_cleared};

/// A collection: its stored name and count, and the number of documents that were found.
pub(crate) struct Collection {
    pub(crate) name: String,
    pub(crate) found: u64,
    count: u64,
}

/// The collections of a namespace, to which the check adds the documents that it finds.
pub(crate) struct Check<'p> {
    pub(crate) problems: &'p mut Problems,
    namespace: &'static str,
    /// By number.
    collections: HashMap<u64, Collection>,
    /// Numbers of cleared collections whose rows still have to be removed.
    cleared: HashSet<u64>,
}

impl<'p> Check<'p> {
    /// Reads the collections of a namespace. `namespace` is its name in problems, as in scripts.
    pub(crate) fn of(
        namespace: &'static str,
        transaction: &ReadTransaction,
        definitions: &Definitions,
        cleared: Cleared,
        problems: &'p mut Problems,
    ) -> Result<Self, Error> {
        let mut check = Self { problems, namespace, collections: HashMap::new(), cleared: HashSet::new() };
        for row in transaction.open_table(cleared)?.iter()? {
            let (number, sum) = row?;
            check.cleared(number.value(), sum.value());
        }
        let last = check.last_allocated(transaction, definitions.counters, NUMBER)?;
        for row in transaction.open_table(definitions.collections)?.iter()? {
            let (name, row) = row?;
            check.collection(name.value(), row.value(), last);
        }
        Ok(check)
    }

    fn cleared(&mut self, number: u64, sum: u32) {
        if sum != sum_of_cleared(number) {
            let of = self.namespace;
            self.problems.note(format!("the number {number} of a collection of {of} that was cleared is damaged"));
        }
        self.cleared.insert(number);
    }

    fn collection(&mut self, name: &str, row: (u64, u64, u32), last: u64) {
        let of = self.namespace;
        let Ok(super::Collection { number, count, .. }) = checked(name, row) else {
            self.problems.note(format!("collection {name:?} of {of} is damaged"));
            return;
        };
        if number > last {
            let problem = format!("collection {name:?} of {of} has number {number}, the last one allocated is {last}");
            self.problems.note(problem);
        }
        let collection = Collection { name: name.to_owned(), found: 0, count };
        if let Some(other) = self.collections.insert(number, collection) {
            self.problems.note(format!("collection {:?} of {of} shares its number with another", other.name));
        }
    }

    /// Returns the value of a counter. Notes a problem and returns the maximum if the counter is damaged.
    pub(crate) fn last_allocated(
        &mut self,
        transaction: &ReadTransaction,
        counters: Counters,
        name: &str,
    ) -> Result<u64, Error> {
        let row = transaction.open_table(counters)?.get(name)?.map(|row| row.value());
        Ok(counter(name, row).unwrap_or_else(|_| {
            self.problems.note(format!("the counter {name:?} of {} is damaged", self.namespace));
            u64::MAX
        }))
    }

    /// Counts the document whose row has this key. Returns the number of its collection, its key, and its name in
    /// problems; `None` if it belongs to no collection, which is a problem unless its collection was cleared.
    pub(crate) fn document<'k>(&mut self, row: &'k [u8]) -> Option<(u64, &'k [u8], String)> {
        let of = self.namespace;
        let Some((number, key)) = row.split_first_chunk() else {
            self.problems.note(format!("a document of {of} has no collection and no key"));
            return None;
        };
        let (number, shown) = (u64::from_be_bytes(*number), String::from_utf8_lossy(key));
        let Some(collection) = self.collections.get_mut(&number) else {
            if !self.cleared.contains(&number) {
                self.problems.note(format!("document {shown:?} of {of} belongs to no collection"));
            }
            return None;
        };
        collection.found += 1;
        Some((number, key, format!("document {shown:?} of {:?} of {of}", collection.name)))
    }

    /// Notes collections whose stored count is wrong. Must be called after all documents were counted.
    pub(crate) fn counts(&mut self) {
        for Collection { name, found, count } in self.collections.values() {
            if count != found {
                let of = self.namespace;
                self.problems.note(format!("collection {name:?} of {of} counts {count} documents, but has {found}"));
            }
        }
    }

    /// Returns the collection with a number.
    pub(crate) fn numbered(&self, number: u64) -> Option<&Collection> {
        self.collections.get(&number)
    }

    /// Whether a cleared collection had this number, and its rows still have to be removed.
    pub(crate) fn is_cleared(&self, number: u64) -> bool {
        self.cleared.contains(&number)
    }
}
