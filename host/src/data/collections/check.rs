//! Checks that the rows of collections agree with their documents.

use std::collections::{HashMap, HashSet};

use redb::{Error, ReadTransaction, ReadableTable};

use super::{Cleared, Counters, Definitions, NUMBER, checked, counter};
use crate::data::{Problems, purge::sum_of_cleared};

/// A collection as its row says, and as its documents say.
pub(crate) struct Collection {
    pub(crate) name: String,
    pub(crate) found: u64,
    count: u64,
}

/// The collections of a namespace, while its documents are looked at.
pub(crate) struct Check<'p> {
    pub(crate) problems: &'p mut Problems,
    namespace: &'static str,
    /// By number.
    collections: HashMap<u64, Collection>,
    /// Numbers whose rows are still to be removed.
    cleared: HashSet<u64>,
}

impl<'p> Check<'p> {
    /// Reads the collections of a namespace, which is named as scripts know it.
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
        let last = check.last_given(transaction, definitions.counters, NUMBER)?;
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

    /// What a counter says. A damaged one is taken for one that nothing is beyond.
    pub(crate) fn last_given(
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

    /// Counts the document whose row has this name. Gives the number of its collection, its key, and what it is called; none
    /// for a document of no collection, which is a problem unless its rows are to be removed.
    pub(crate) fn document<'k>(&mut self, row: &'k [u8]) -> Option<(u64, &'k [u8], String)> {
        let of = self.namespace;
        let Some((number, key)) = row.split_first_chunk() else {
            self.problems.note(format!("a document of {of} has no collection and no key"));
            return None;
        };
        let (number, shown) = (u64::from_be_bytes(*number), String::from_utf8_lossy(key));
        let Some(collection) = self.collections.get_mut(&number) else {
            if !self.cleared.contains(&number) {
                self.problems.note(format!("document {shown:?} of {of} is of no collection"));
            }
            return None;
        };
        collection.found += 1;
        Some((number, key, format!("document {shown:?} of {:?} of {of}", collection.name)))
    }

    /// After all documents: whether there are as many as the collections say.
    pub(crate) fn counts(&mut self) {
        for Collection { name, found, count } in self.collections.values() {
            if count != found {
                let of = self.namespace;
                self.problems.note(format!("collection {name:?} of {of} counts {count} documents, {found} are there"));
            }
        }
    }

    /// The collection with a number.
    pub(crate) fn numbered(&self, number: u64) -> Option<&Collection> {
        self.collections.get(&number)
    }

    /// Whether the rows of this number are still to be removed.
    pub(crate) fn is_cleared(&self, number: u64) -> bool {
        self.cleared.contains(&number)
    }
}
