//! Whether what the tables of the store say of each other is true.

use std::collections::HashMap;

use redb::{Error, ReadOnlyTable, ReadTransaction, ReadableTable};
use serde::de::IgnoredAny;

use super::{
    tables::{BY_CREATED, BY_UPDATED, CLEARED, COLLECTIONS, COUNTERS, DOCUMENTS, LOG},
    value::{self, Moment, Place},
};
use crate::{
    g::{
        collections::{self, NUMBER, SEQUENCE},
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
    last_sequence: u64,
    problems: &'p mut Problems,
}

/// Notes what is wrong with the documents, their orders and their counts.
pub(crate) fn check(transaction: &ReadTransaction, problems: &mut Problems) -> Result<(), Error> {
    let mut check = Check { collections: HashMap::new(), cleared: Vec::new(), last_sequence: 0, problems };
    for row in transaction.open_table(CLEARED)?.iter()? {
        let (number, sum) = row?;
        if sum.value() != sum_of_cleared(number.value()) {
            check.problems.note(format!("the number {} of a collection that was cleared is damaged", number.value()));
        }
        check.cleared.push(number.value());
    }
    check.read_collections(transaction)?;
    let by_created = transaction.open_table(BY_CREATED)?;
    let by_updated = transaction.open_table(BY_UPDATED)?;
    for row in transaction.open_table(DOCUMENTS)?.iter()? {
        let (key, row) = row?;
        check.document(key.value(), row.value(), &by_created, &by_updated)?;
    }
    check.counts();
    check.order("creation", &by_created)?;
    check.order("update", &by_updated)?;
    check.counter(transaction)?;
    index::check(transaction, LOG, problems)
}

/// Whether there is no document.
pub(crate) fn holds_nothing(transaction: &ReadTransaction) -> Result<bool, Error> {
    Ok(transaction.open_table(COLLECTIONS)?.first()?.is_none())
}

impl Check<'_> {
    fn read_collections(&mut self, transaction: &ReadTransaction) -> Result<(), Error> {
        let last = self.last_given(transaction, NUMBER)?;
        for row in transaction.open_table(COLLECTIONS)?.iter()? {
            let (name, row) = row?;
            let name = name.value().to_owned();
            let Ok((number, count)) = collections::number_and_count(&name, row.value()) else {
                self.problems.note(format!("collection {name:?} is damaged"));
                continue;
            };
            if number > last {
                self.problems
                    .note(format!("collection {name:?} has number {number}, the last that was given is {last}"));
            }
            if let Some(other) = self.collections.insert(number, Collection { name, count, found: 0 }) {
                self.problems.note(format!("collection {:?} shares its number with another", other.name));
            }
        }
        Ok(())
    }

    fn document(
        &mut self,
        row_key: &[u8],
        row: &[u8],
        by_created: &ReadOnlyTable<&'static Place, &'static [u8]>,
        by_updated: &ReadOnlyTable<&'static Place, &'static [u8]>,
    ) -> Result<(), Error> {
        let Some((number, key)) = row_key.split_first_chunk() else {
            self.problems.note("a document has no collection and no key".into());
            return Ok(());
        };
        let number = u64::from_be_bytes(*number);
        let Some(collection) = self.collections.get_mut(&number) else {
            if !self.cleared.contains(&number) {
                self.problems.note(format!("document {} is of no collection", shown(key)));
            }
            return Ok(());
        };
        collection.found += 1;
        let name = format!("document {} of {:?}", shown(key), collection.name);
        let Ok((created, updated)) = value::moments(row_key, row) else {
            self.problems.note(format!("{name} is not what was stored"));
            return Ok(());
        };
        self.last_sequence = self.last_sequence.max(created.sequence).max(updated.sequence);
        self.content(&name, key, &row[value::ROW_HEAD..]);
        self.place(&format!("{name}: its place in the order of creation"), key, by_created, number, created)?;
        self.place(&format!("{name}: its place in the order of update"), key, by_updated, number, updated)
    }

    fn content(&mut self, name: &str, key: &[u8], data: &[u8]) {
        if std::str::from_utf8(key).is_err() {
            self.problems.note(format!("{name}: its key is not UTF-8"));
        }
        if serde_json::from_slice::<IgnoredAny>(data).is_err() {
            self.problems.note(format!("{name} is not JSON"));
        }
    }

    fn place(
        &mut self,
        what: &str,
        key: &[u8],
        order: &ReadOnlyTable<&'static Place, &'static [u8]>,
        number: u64,
        moment: Moment,
    ) -> Result<(), Error> {
        match order.get(&value::place(number, moment))? {
            None => self.problems.note(format!("{what} is missing")),
            Some(found) if found.value() != key => self.problems.note(format!("{what} is taken by another")),
            Some(_) => {}
        }
        Ok(())
    }

    fn counts(&mut self) {
        for Collection { name, count, found } in self.collections.values() {
            if count != found {
                self.problems.note(format!("collection {name:?} counts {count} documents, {found} are there"));
            }
        }
    }

    /// Every document has its place: more places than documents are of none.
    fn order(&mut self, name: &str, order: &ReadOnlyTable<&'static Place, &'static [u8]>) -> Result<(), Error> {
        let mut places = HashMap::<u64, u64>::new();
        for row in order.iter()? {
            let place = row?.0;
            if let Some((number, _)) = place.value().split_first_chunk() {
                *places.entry(u64::from_be_bytes(*number)).or_default() += 1;
            }
        }
        for (number, places) in places {
            match self.collections.get(&number) {
                Some(collection) if places > collection.found => self.problems.note(format!(
                    "the order of {name} of collection {:?} has {places} places for {} documents",
                    collection.name, collection.found
                )),
                None if !self.cleared.contains(&number) => {
                    self.problems.note(format!("the order of {name} has {places} places of no collection"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn counter(&mut self, transaction: &ReadTransaction) -> Result<(), Error> {
        let last = self.last_given(transaction, SEQUENCE)?;
        if self.last_sequence > last {
            let seen = self.last_sequence;
            self.problems.note(format!("a document was the write number {seen}, the last that was given is {last}"));
        }
        Ok(())
    }

    /// What a counter says. A damaged one is taken for one that nothing is beyond.
    fn last_given(&mut self, transaction: &ReadTransaction, name: &str) -> Result<u64, Error> {
        let row = transaction.open_table(COUNTERS)?.get(name)?.map(|row| row.value());
        Ok(collections::counter(name, row).unwrap_or_else(|_| {
            self.problems.note(format!("the counter {name:?} of the store is damaged"));
            u64::MAX
        }))
    }
}

fn shown(key: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(key))
}
