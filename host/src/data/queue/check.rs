//! Checks that the tables of the queues agree with each other.

use std::collections::{HashMap, HashSet};

use redb::{Error, ReadOnlyTable, ReadTransaction, ReadableTable, ReadableTableMetadata};
use serde::de::IgnoredAny;

use super::{
    queues::{self, COUNTERS, Counts, ID, NAMES, NUMBER, QUEUES, State, number_of},
    tables::{BODIES, CHECKED_OUT, CLEARED, DEAD, EXPIRED, HIGHEST, LEASES, PENDING},
    value::{Body, Checkout, Row, dead_from_bytes, sum_of, text_of},
};
use crate::data::{Problems, purge::sum_of_cleared};

/// A queue: its stored name and counts, and the counts of the items that were found.
struct Queue {
    name: String,
    counts: Counts,
    found: Counts,
}

struct Check<'p> {
    /// By number.
    queues: HashMap<u64, Queue>,
    /// Numbers of cleared queues whose rows still have to be removed.
    cleared: HashSet<u64>,
    /// The ids of all items, which have to be unique.
    ids: HashSet<u64>,
    last_id: u64,
    last_number: u64,
    bodies: ReadOnlyTable<u64, &'static [u8]>,
    /// How many rows of `bodies` belong to an item.
    bodies_found: u64,
    problems: &'p mut Problems,
}

/// Notes every problem of the items, their leases and their counts.
pub(super) fn check(transaction: &ReadTransaction, problems: &mut Problems) -> Result<(), Error> {
    let counters = transaction.open_table(COUNTERS)?;
    let mut counter = |name| {
        let read = counters.get(name)?.map_or(Ok(0), |row| number_of(name, row.value()));
        Ok::<_, Error>(read.unwrap_or_else(|_| {
            problems.note(format!("the counter {name:?} of the queues is damaged"));
            u64::MAX
        }))
    };
    let (last_id, last_number) = (counter(ID)?, counter(NUMBER)?);
    let totals = [counter(queues::PENDING)?, counter(queues::DEAD)?];
    let bodies = transaction.open_table(BODIES)?;
    let mut check = Check {
        queues: HashMap::new(),
        cleared: HashSet::new(),
        ids: HashSet::new(),
        last_id,
        last_number,
        bodies,
        bodies_found: 0,
        problems,
    };
    for row in transaction.open_table(CLEARED)?.iter()? {
        let (queue, sum) = row?;
        if sum.value() != sum_of_cleared(queue.value()) {
            check.problems.note(format!("the number {} of a queue that was cleared is damaged", queue.value()));
        }
        check.cleared.insert(queue.value());
    }
    check.read_queues(transaction)?;
    check.pending(transaction)?;
    check.checked_out(transaction)?;
    check.dead(transaction)?;
    for row in transaction.open_table(EXPIRED)?.iter()? {
        check.id("an expired checkout", row?.0.value());
    }
    check.counts(totals);
    check.bodies()
}

/// Whether the tables contain no queue.
pub(super) fn holds_nothing(transaction: &ReadTransaction) -> Result<bool, Error> {
    Ok(transaction.open_table(NAMES)?.first()?.is_none())
}

impl Check<'_> {
    fn read_queues(&mut self, transaction: &ReadTransaction) -> Result<(), Error> {
        for row in transaction.open_table(QUEUES)?.iter()? {
            let (number, row) = row?;
            let number = number.value();
            let what = format!("queue number {number}");
            let Some((name, counts)) = self.row(&what, Counts::from_row(number, row.value())) else { continue };
            if number > self.last_number {
                let last = self.last_number;
                self.problems.note(format!("queue {name:?} has number {number}, the last one allocated is {last}"));
            }
            if counts.is_empty() {
                self.problems.note(format!("queue {name:?} exists but has no items"));
            }
            self.queues.insert(number, Queue { name, counts, found: Counts::default() });
        }
        let mut named = 0;
        for row in transaction.open_table(NAMES)?.iter()? {
            let (name, row) = row?;
            let what = format!("the number of queue {:?}", name.value());
            let Some(number) = self.row(&what, number_of(name.value(), row.value())) else { continue };
            if self.queues.get(&number).is_some_and(|queue| queue.name == name.value()) {
                named += 1;
            } else {
                self.problems.note(format!("queue {:?} has a name, but no row", name.value()));
            }
        }
        if self.queues.len() > named {
            self.problems.note(format!("{} queues have no name", self.queues.len() - named));
        }
        Ok(())
    }

    fn pending(&mut self, transaction: &ReadTransaction) -> Result<(), Error> {
        for row in transaction.open_table(PENDING)?.iter()? {
            let (key, row) = row?;
            let (queue, rank, id) = key.value();
            let name = format!("pending item {id}");
            let Some(row) = self.row(&name, Row::from_bytes(key.value(), row.value())) else { continue };
            if HIGHEST.checked_sub(row.priority) != Some(rank) {
                self.problems.note(format!("{name} is not in the order of its priority {}", row.priority));
            }
            self.item(&name, id, &row)?;
            self.count_for_queue(&name, queue, State::Pending, true);
        }
        Ok(())
    }

    fn checked_out(&mut self, transaction: &ReadTransaction) -> Result<(), Error> {
        let (checkouts, leases) = (transaction.open_table(CHECKED_OUT)?, transaction.open_table(LEASES)?);
        let mut found = 0;
        for row in checkouts.iter()? {
            let (id, row) = row?;
            let (id, name) = (id.value(), format!("checkout {}", id.value()));
            let Some(checkout) = self.row(&name, Checkout::from_bytes(id, row.value())) else { continue };
            match leases.get((checkout.expires, id))? {
                Some(sum) => {
                    found += 1;
                    if sum.value() != sum_of(&[checkout.expires, id], &[]) {
                        self.problems.note(format!("the lease of {name} is damaged"));
                    }
                }
                None => self.problems.note(format!("{name} has no lease, it would never expire")),
            }
            self.item(&name, id, &checkout.row)?;
            // The checkouts of a cleared queue stay until they end, so their queue need not exist.
            self.count_for_queue(&name, checkout.queue, State::CheckedOut, checkout.queue > self.last_number);
        }
        let more = leases.len()?.saturating_sub(found);
        if more > 0 {
            self.problems.note(format!("{more} leases belong to no checkout"));
        }
        Ok(())
    }

    fn dead(&mut self, transaction: &ReadTransaction) -> Result<(), Error> {
        for row in transaction.open_table(DEAD)?.iter()? {
            let (key, row) = row?;
            let (queue, id) = key.value();
            let name = format!("dead letter {id}");
            let Some((_, row)) = self.row(&name, dead_from_bytes(key.value(), row.value())) else { continue };
            self.item(&name, id, &row)?;
            self.count_for_queue(&name, queue, State::Dead, true);
        }
        Ok(())
    }

    fn row<T>(&mut self, name: &str, row: Result<T, Error>) -> Option<T> {
        row.inspect_err(|_| self.problems.note(format!("{name} is damaged"))).ok()
    }

    fn item(&mut self, name: &str, id: u64, row: &Row) -> Result<(), Error> {
        self.id(name, id);
        if !self.ids.insert(id) {
            self.problems.note(format!("{name} shares its id with another item"));
        }
        let is_json = match &row.body {
            Body::Here(json) => is_json(json),
            Body::There(number) => match self.bodies.get(number)? {
                Some(json) => {
                    self.bodies_found += 1;
                    let what = format!("the data of {name}");
                    self.row(&what, text_of(&[*number], json.value())).is_none_or(is_json)
                }
                None => {
                    self.problems.note(format!("{name} has lost its data"));
                    return Ok(());
                }
            },
        };
        if !is_json {
            self.problems.note(format!("{name} is not JSON"));
        }
        Ok(())
    }

    fn id(&mut self, name: &str, id: u64) {
        if id > self.last_id {
            self.problems.note(format!("{name} has id {id}, the last one allocated is {}", self.last_id));
        }
    }

    /// Counts an item for its queue. If `must_exist`, notes a problem when the queue neither exists nor was cleared.
    fn count_for_queue(&mut self, name: &str, queue: u64, state: State, must_exist: bool) {
        match self.queues.get_mut(&queue) {
            Some(queue) => *queue.found.of(state) += 1,
            None if must_exist && !self.cleared.contains(&queue) => {
                self.problems.note(format!("{name} belongs to no queue"));
            }
            None => {}
        }
    }

    fn counts(&mut self, totals: [u64; 2]) {
        let sum = |count: fn(&Counts) -> u64| {
            self.queues.values().map(|queue| count(&queue.counts)).fold(0, u64::saturating_add)
        };
        let (pending, dead) = (sum(|counts| counts.pending), sum(|counts| counts.dead));
        for (what, total, counted) in [("pending items", totals[0], pending), ("dead letters", totals[1], dead)] {
            // A damaged counter was already reported.
            if total != counted && total != u64::MAX {
                self.problems.note(format!("there should be {total} {what}, the queues count {counted}"));
            }
        }
        let mut queues: Vec<_> = self.queues.values().collect();
        queues.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        for Queue { name, counts, found } in queues {
            let counts = [
                ("pending items", counts.pending, found.pending),
                ("checkouts", counts.checked_out, found.checked_out),
                ("dead letters", counts.dead, found.dead),
            ];
            for (what, counted, found) in counts {
                if counted != found {
                    self.problems.note(format!("queue {name:?} counts {counted} {what}, but has {found}"));
                }
            }
        }
    }

    fn bodies(&mut self) -> Result<(), Error> {
        let more = self.bodies.len()?.saturating_sub(self.bodies_found);
        if more > 0 {
            self.problems.note(format!("{more} rows of item data belong to no item"));
        }
        Ok(())
    }
}

fn is_json(json: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(json).is_ok()
}
