//! Checks that the tables of the store agree with each other.

use std::collections::HashMap;

use redb::{Error, ReadOnlyTable, ReadTransaction, ReadableTable};
use serde::de::IgnoredAny;

use super::{
    tables::{BY_CREATED, BY_UPDATED, CLEARED, COUNTERS, DEFINITIONS, DOCUMENTS, LOG},
    value::{self, Moment, Place},
};
use crate::data::{
    Problems,
    collections::{self, SEQUENCE},
    log,
};

type Order = ReadOnlyTable<&'static Place, &'static [u8]>;

struct Check<'p> {
    collections: collections::Check<'p>,
    by_created: Order,
    by_updated: Order,
    last_sequence: u64,
}

/// Notes what is wrong with the documents, their orders and their counts.
pub(super) fn check(transaction: &ReadTransaction, problems: &mut Problems) -> Result<(), Error> {
    let mut check = Check {
        collections: collections::Check::of("g.store", transaction, &DEFINITIONS, CLEARED, problems)?,
        by_created: transaction.open_table(BY_CREATED)?,
        by_updated: transaction.open_table(BY_UPDATED)?,
        last_sequence: 0,
    };
    for row in transaction.open_table(DOCUMENTS)?.iter()? {
        let (name, row) = row?;
        check.document(name.value(), row.value())?;
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

    fn document(&mut self, name: &[u8], row: &[u8]) -> Result<(), Error> {
        let Some((number, key, shown)) = self.collections.document(name) else { return Ok(()) };
        let Ok((created, updated)) = value::moments(name, row) else {
            self.note(format!("{shown} is damaged"));
            return Ok(());
        };
        self.last_sequence = self.last_sequence.max(created.sequence).max(updated.sequence);
        self.content(&shown, key, &row[value::ROW_HEAD..]);
        let places = [
            (place_of(&self.by_created, number, created, key)?, "creation"),
            (place_of(&self.by_updated, number, updated, key)?, "update"),
        ];
        for (problem, order) in places {
            if let Some(problem) = problem {
                self.note(format!("{shown}: its place in the order of {order} is {problem}"));
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
        for (places, order) in [(places_in(&self.by_created)?, "creation"), (places_in(&self.by_updated)?, "update")] {
            for (number, places) in places {
                self.places(order, number, places);
            }
        }
        Ok(())
    }

    /// Every document has its place: more places than documents are of none.
    fn places(&mut self, order: &str, number: u64, places: u64) {
        match self.collections.numbered(number) {
            Some(collection) if places > collection.found => {
                let (name, found) = (&collection.name, collection.found);
                let problem =
                    format!("the order of {order} of collection {name:?} has {places} places for {found} documents");
                self.note(problem);
            }
            None if !self.collections.is_cleared(number) => {
                self.note(format!("the order of {order} has {places} places of no collection"));
            }
            _ => {}
        }
    }

    fn counter(&mut self, transaction: &ReadTransaction) -> Result<(), Error> {
        let (seen, last) = (self.last_sequence, self.collections.last_given(transaction, COUNTERS, SEQUENCE)?);
        if seen > last {
            self.note(format!("a document was the write number {seen}, the last one allocated is {last}"));
        }
        Ok(())
    }
}

/// What is wrong with a document's place in an order.
fn place_of(order: &Order, number: u64, moment: Moment, key: &[u8]) -> Result<Option<&'static str>, Error> {
    Ok(match order.get(&value::place(number, moment))? {
        None => Some("missing"),
        Some(found) if found.value() != key => Some("taken by another"),
        Some(_) => None,
    })
}

/// How many places each collection has in an order, by its number.
fn places_in(order: &Order) -> Result<HashMap<u64, u64>, Error> {
    let mut places = HashMap::new();
    for row in order.iter()? {
        let place = row?.0;
        if let Some((number, _)) = place.value().split_first_chunk() {
            *places.entry(u64::from_be_bytes(*number)).or_default() += 1;
        }
    }
    Ok(places)
}
