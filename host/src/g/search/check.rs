//! Whether what the tables of the documents that are searched say of each other is true.

use std::collections::HashMap;

use redb::{Error, ReadTransaction, ReadableTable};
use serde::de::IgnoredAny;

use super::{
    tables::{CLEARED, COLLECTIONS, COUNTERS, DOCUMENTS, LOG},
    value,
};
use crate::{
    g::{
        collections::{self, NUMBER},
        rows::sum_of_cleared,
    },
    index,
    workspace::Problems,
};

/// A collection as its row says, and as its documents say.
struct Collection {
    name: String,
    count: u64,
    found: u64,
}

struct Check<'p> {
    /// By number.
    collections: HashMap<u64, Collection>,
    /// Numbers whose rows are still to be removed.
    cleared: Vec<u64>,
    problems: &'p mut Problems,
}

/// Notes what is wrong with the documents, their counts, and what the index is still to take in.
pub(crate) fn check(transaction: &ReadTransaction, problems: &mut Problems) -> Result<(), Error> {
    let mut check = Check { collections: HashMap::new(), cleared: Vec::new(), problems };
    for row in transaction.open_table(CLEARED)?.iter()? {
        let (number, sum) = row?;
        if sum.value() != sum_of_cleared(number.value()) {
            let number = number.value();
            check.problems.note(format!("the number {number} of a collection of g.search that was cleared is damaged"));
        }
        check.cleared.push(number.value());
    }
    check.read_collections(transaction)?;
    for row in transaction.open_table(DOCUMENTS)?.iter()? {
        let (name, row) = row?;
        check.document(name.value(), row.value());
    }
    check.counts();
    index::check(transaction, LOG, problems)
}

/// Whether there is no document.
pub(crate) fn holds_nothing(transaction: &ReadTransaction) -> Result<bool, Error> {
    Ok(transaction.open_table(COLLECTIONS)?.first()?.is_none())
}

impl Check<'_> {
    fn read_collections(&mut self, transaction: &ReadTransaction) -> Result<(), Error> {
        let counter = transaction.open_table(COUNTERS)?.get(NUMBER)?.map(|row| row.value());
        let last = collections::counter(NUMBER, counter).unwrap_or_else(|_| {
            self.problems.note(format!("the counter {NUMBER:?} of g.search is damaged"));
            u64::MAX
        });
        for row in transaction.open_table(COLLECTIONS)?.iter()? {
            let (name, row) = row?;
            let name = name.value().to_owned();
            let Ok((number, count)) = collections::number_and_count(&name, row.value()) else {
                self.problems.note(format!("collection {name:?} of g.search is damaged"));
                continue;
            };
            if number > last {
                self.problems.note(format!(
                    "collection {name:?} of g.search has number {number}, the last that was given is {last}"
                ));
            }
            if let Some(other) = self.collections.insert(number, Collection { name, count, found: 0 }) {
                self.problems.note(format!("collection {:?} of g.search shares its number with another", other.name));
            }
        }
        Ok(())
    }

    fn document(&mut self, name: &[u8], row: &[u8]) {
        let Some((number, key)) = name.split_first_chunk() else {
            self.problems.note("a document of g.search has no collection and no key".into());
            return;
        };
        let (number, shown) = (u64::from_be_bytes(*number), String::from_utf8_lossy(key));
        let Some(collection) = self.collections.get_mut(&number) else {
            if !self.cleared.contains(&number) {
                self.problems.note(format!("document {shown:?} of g.search is of no collection"));
            }
            return;
        };
        collection.found += 1;
        let is_whole = value::key(name).and_then(|_| value::fields(name, row));
        if is_whole.is_ok_and(|fields| serde_json::from_str::<IgnoredAny>(&fields).is_ok()) {
            return;
        }
        let of = &collection.name;
        self.problems.note(format!("document {shown:?} of {of:?} of g.search is not what was stored"));
    }

    fn counts(&mut self) {
        for Collection { name, count, found } in self.collections.values() {
            if count != found {
                self.problems
                    .note(format!("collection {name:?} of g.search counts {count} documents, {found} are there"));
            }
        }
    }
}
