//! Checks that the tables of the store agree with each other.

use std::collections::HashMap;

use redb::{Error, ReadOnlyTable, ReadTransaction, ReadableTable};
use serde::de::IgnoredAny;

use super::{
    tables::{BY_CREATED, BY_UPDATED, CLEARED, COUNTERS, DEFINITIONS, DOCUMENTS, LOG},
    value::{self, Moment, OrderKey},
};
use crate::data::{
    Problems,
    collections::{self, SEQUENCE},
    log,
};

type Order = ReadOnlyTable<&'static OrderKey, &'static [u8]>;

struct Check<'p> {
    collections: collections::Check<'p>,
    by_created: Order,
    by_updated: Order,
    last_sequence: u64,
}

/// Notes every problem of the documents, their orders and their counts.
pub(super) fn check(transaction: &ReadTransaction, problems: &mut Problems) -> Result<(), Error> {
    let mut check = Check {
        collections: collections::Check::of("g.store", transaction, &DEFINITIONS, CLEARED, problems)?,
        by_created: transaction.open_table(BY_CREATED)?,
        by_updated: transaction.open_table(BY_UPDATED)?,
        last_sequence: 0,
    };
    for row in transaction.open_table(DOCUMENTS)?.iter()? {
        let (document_key, row) = row?;
        check.document(document_key.value(), row.value())?;
    }
    check.collections.counts();
    check.orders()?;
    check.counter(transaction)?;
    log::check(transaction, LOG, problems)
}

impl Check<'_> {
    fn note(&mut self, problem: String) {
        self.collections.problems.note(problem);
    }

    fn document(&mut self, document_key: &[u8], row: &[u8]) -> Result<(), Error> {
        let Some((number, key, shown)) = self.collections.document(document_key) else { return Ok(()) };
        let Ok((created, updated)) = value::moments(document_key, row) else {
            self.note(format!("{shown} is damaged"));
            return Ok(());
        };
        self.last_sequence = self.last_sequence.max(created.sequence).max(updated.sequence);
        self.content(&shown, key, &row[value::ROW_HEAD..]);
        let entries = [
            (problem_of_entry(&self.by_created, number, created, key)?, "creation"),
            (problem_of_entry(&self.by_updated, number, updated, key)?, "update"),
        ];
        for (problem, order) in entries {
            if let Some(problem) = problem {
                self.note(format!("{shown}: its entry in the order of {order} {problem}"));
            }
        }
        Ok(())
    }

    fn content(&mut self, shown: &str, key: &[u8], data: &[u8]) {
        if std::str::from_utf8(key).is_err() {
            self.note(format!("{shown}: its key is not UTF-8"));
        }
        if serde_json::from_slice::<IgnoredAny>(data).is_err() {
            self.note(format!("{shown} is not JSON"));
        }
    }

    fn orders(&mut self) -> Result<(), Error> {
        let orders = [(count_entries(&self.by_created)?, "creation"), (count_entries(&self.by_updated)?, "update")];
        for (counts, order) in orders {
            for (number, entries) in counts {
                self.entries(order, number, entries);
            }
        }
        Ok(())
    }

    /// Notes entries that belong to no document: `document` has already checked that each document has its entry.
    fn entries(&mut self, order: &str, number: u64, entries: u64) {
        match self.collections.numbered(number) {
            Some(collection) if entries > collection.found => {
                let (name, found) = (&collection.name, collection.found);
                let problem =
                    format!("the order of {order} of collection {name:?} has {entries} entries for {found} documents");
                self.note(problem);
            }
            None if !self.collections.is_cleared(number) => {
                self.note(format!("the order of {order} has {entries} entries that belong to no collection"));
            }
            _ => {}
        }
    }

    fn counter(&mut self, transaction: &ReadTransaction) -> Result<(), Error> {
        let (seen, last) = (self.last_sequence, self.collections.last_allocated(transaction, COUNTERS, SEQUENCE)?);
        if seen > last {
            self.note(format!("a document has sequence number {seen}, the last one allocated is {last}"));
        }
        Ok(())
    }
}

/// Returns the problem of a document's entry in an order, if it has one.
fn problem_of_entry(order: &Order, number: u64, moment: Moment, key: &[u8]) -> Result<Option<&'static str>, Error> {
    Ok(match order.get(&value::order_key(number, moment))? {
        None => Some("is missing"),
        Some(found) if found.value() != key => Some("belongs to another document"),
        Some(_) => None,
    })
}

/// Returns the number of entries that each collection has in an order, by the number of the collection.
fn count_entries(order: &Order) -> Result<HashMap<u64, u64>, Error> {
    let mut counts = HashMap::new();
    for row in order.iter()? {
        let key = row?.0;
        if let Some((number, _)) = key.value().split_first_chunk() {
            *counts.entry(u64::from_be_bytes(*number)).or_default() += 1;
        }
    }
    Ok(counts)
}
