//! The queues: their names, numbers and counts, and the counters for ids.
//!
//! Counts change with every call, so they are kept in memory and written at each commit. Only then is the row of a
//! queue without items removed: a queue may become empty and be filled again many times between two commits.

use std::collections::HashMap;

use redb::{Error, ReadableTable, ReadableTableMetadata, TableDefinition, WriteTransaction};

use super::value::{damaged, sealed, unsealed};
use crate::data::{Dirty, Opening, Table, checksum::checksum};

/// Name → number, checksum.
pub(super) const NAMES: TableDefinition<'static, &'static str, (u64, u32)> = TableDefinition::new("queue.names");
/// Number → counts and name.
pub(super) const QUEUES: TableDefinition<'static, u64, &'static [u8]> = TableDefinition::new("queue.queues");
/// The last allocated id and queue number, and the numbers of pending items and dead letters; each with a checksum.
pub(super) const COUNTERS: TableDefinition<'static, &'static str, (u64, u32)> = TableDefinition::new("queue.counters");
pub(super) const ID: &str = "id";
pub(super) const NUMBER: &str = "number";
pub(super) const PENDING: &str = "pending";
pub(super) const DEAD: &str = "dead";

/// The maximum number of queues that are kept in memory.
const MAX_KEPT: usize = 1_024;

/// The state of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Pending,
    CheckedOut,
    Dead,
}

/// The numbers of items of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pending items.
    pub pending: u64,
    /// Checked-out items.
    pub checked_out: u64,
    /// Dead letters.
    pub dead: u64,
    /// Items enqueued since the queue was last empty. A queue that becomes empty and is filled again between two
    /// commits may keep this count.
    pub enqueued: u64,
    /// Items committed since the same time.
    pub committed: u64,
}

impl Counts {
    pub(super) fn of(&mut self, state: State) -> &mut u64 {
        match state {
            State::Pending => &mut self.pending,
            State::CheckedOut => &mut self.checked_out,
            State::Dead => &mut self.dead,
        }
    }

    /// Returns the number of items in any state.
    pub fn items(self) -> u64 {
        // A corrupt row may contain any number.
        self.pending.saturating_add(self.checked_out).saturating_add(self.dead)
    }

    pub(super) fn is_empty(self) -> bool {
        self.items() == 0
    }

    fn to_row(self, number: u64, name: &str) -> Vec<u8> {
        let counts = [self.pending, self.checked_out, self.dead, self.enqueued, self.committed];
        sealed(&[number], |bytes| {
            counts.iter().for_each(|count| bytes.extend(count.to_be_bytes()));
            bytes.extend_from_slice(name.as_bytes());
        })
    }

    /// Reads the name and the counts of a queue.
    pub(super) fn from_row(number: u64, row: &[u8]) -> Result<(String, Self), Error> {
        let (counts, name) = unsealed(&[number], row)?.split_first_chunk::<40>().ok_or_else(damaged)?;
        let name = str::from_utf8(name).map_err(|_| damaged())?;
        let count = |place: usize| {
            let bytes = counts[8 * place..].first_chunk().ok_or_else(damaged)?;
            Ok::<_, Error>(u64::from_be_bytes(*bytes))
        };
        let (pending, checked_out, dead) = (count(0)?, count(1)?, count(2)?);
        let counts = Self { pending, checked_out, dead, enqueued: count(3)?, committed: count(4)? };
        Ok((name.to_owned(), counts))
    }
}

/// Returns the number in the row of a name or of a counter. Fails if the checksum is wrong.
pub(super) fn number_of(name: &str, (number, sum): (u64, u32)) -> Result<u64, Error> {
    if sum == checksum_of(name, number) { Ok(number) } else { Err(damaged()) }
}

fn checksum_of(name: &str, number: u64) -> u32 {
    checksum(&[name.as_bytes(), &number.to_be_bytes()])
}

fn numbered(name: &str, number: u64) -> (u64, u32) {
    (number, checksum_of(name, number))
}

pub(super) struct Queues<'t> {
    names: Table<'t, &'static str, (u64, u32)>,
    queues: Table<'t, u64, &'static [u8]>,
    counters: Table<'t, &'static str, (u64, u32)>,
    kept: HashMap<u64, Queue>,
    numbers: HashMap<String, u64>,
    id: u64,
    number: u64,
    /// The numbers of pending items and of dead letters in all queues.
    totals: [u64; 2],
    changed: Dirty,
}

struct Queue {
    name: String,
    counts: Counts,
    changed: bool,
}

impl<'t> Queues<'t> {
    pub(super) fn open(opening: &Opening<'t>) -> Result<Self, Error> {
        let counters = opening.open_table(COUNTERS)?;
        let counter = |name| counters.get(name)?.map_or(Ok(0), |row| number_of(name, row.value()));
        let (id, number, totals) = (counter(ID)?, counter(NUMBER)?, [counter(PENDING)?, counter(DEAD)?]);
        let (names, queues) = (opening.open_table(NAMES)?, opening.open_table(QUEUES)?);
        // A corrupt table may look like one with fewer rows.
        if names.len()? != queues.len()? {
            return Err(damaged());
        }
        Ok(Self {
            names,
            queues,
            counters,
            kept: HashMap::new(),
            numbers: HashMap::new(),
            id,
            number,
            totals,
            changed: opening.dirty(),
        })
    }

    pub(super) fn open_each(transaction: &WriteTransaction) -> Result<(), Error> {
        drop(transaction.open_table(NAMES)?);
        drop(transaction.open_table(QUEUES)?);
        drop(transaction.open_table(COUNTERS)?);
        Ok(())
    }

    pub(super) fn write_back(&mut self) -> Result<(), Error> {
        for (number, queue) in self.kept.iter_mut().filter(|(_, queue)| queue.changed) {
            if queue.counts.is_empty() {
                self.names.write_back_removal(queue.name.as_str())?;
                self.queues.write_back_removal(number)?;
                queue.counts = Counts::default();
            } else {
                self.names.write_back(queue.name.as_str(), numbered(&queue.name, *number))?;
                self.queues.write_back(number, queue.counts.to_row(*number, &queue.name).as_slice())?;
            }
            queue.changed = false;
        }
        if self.changed.take() {
            let [pending, dead] = self.totals;
            for (name, value) in [(ID, self.id), (NUMBER, self.number), (PENDING, pending), (DEAD, dead)] {
                self.counters.write_back(name, numbered(name, value))?;
            }
        }
        Ok(())
    }

    /// Allocates the next id. An item gets one when it is enqueued, and a new one after each failed attempt and when it
    /// is retried from the dead letters.
    pub(super) fn next_id(&mut self) -> u64 {
        self.changed.set();
        self.id += 1;
        self.id
    }

    /// Returns the last allocated id.
    pub(super) fn last_id(&self) -> u64 {
        self.id
    }

    /// Returns the numbers of pending items and of dead letters in all queues.
    pub(super) fn totals(&self) -> [u64; 2] {
        self.totals
    }

    /// Returns the number of a queue that contains an item.
    pub(super) fn number(&mut self, name: &str) -> Result<Option<u64>, Error> {
        let Some(number) = self.known(name)? else { return Ok(None) };
        Ok(self.counts(number)?.filter(|counts| !counts.is_empty()).map(|_| number))
    }

    /// Returns the number of a queue to which an item is about to be added; creates the queue if needed.
    pub(super) fn number_or_create(&mut self, name: &str) -> Result<u64, Error> {
        if let Some(number) = self.known(name)? {
            return Ok(number);
        }
        self.changed.set();
        self.number += 1;
        self.keep(self.number, Queue { name: name.into(), counts: Counts::default(), changed: false })?;
        Ok(self.number)
    }

    /// Returns the counts of a queue; `None` if it was cleared.
    pub(super) fn counts(&mut self, number: u64) -> Result<Option<Counts>, Error> {
        Ok(self.find(number)?.map(|queue| queue.counts))
    }

    /// Counts an item that was enqueued.
    pub(super) fn enqueued(&mut self, number: u64) -> Result<(), Error> {
        let counts = self.change(number)?;
        counts.pending += 1;
        counts.enqueued += 1;
        self.more(State::Pending);
        Ok(())
    }

    /// Counts an item that was committed.
    pub(super) fn committed(&mut self, number: u64) -> Result<(), Error> {
        let counts = self.change(number)?;
        counts.checked_out = counts.checked_out.checked_sub(1).ok_or_else(damaged)?;
        counts.committed += 1;
        Ok(())
    }

    /// Counts an item that moved from one state to another.
    pub(super) fn moved(&mut self, number: u64, from: State, to: State) -> Result<(), Error> {
        let counts = self.change(number)?;
        let from_count = counts.of(from);
        *from_count = from_count.checked_sub(1).ok_or_else(damaged)?;
        *counts.of(to) += 1;
        self.more(to);
        self.fewer(from, 1)
    }

    fn total(&mut self, state: State) -> Option<&mut u64> {
        self.changed.set();
        match state {
            State::Pending => self.totals.first_mut(),
            State::CheckedOut => None,
            State::Dead => self.totals.last_mut(),
        }
    }

    fn more(&mut self, state: State) {
        self.total(state).into_iter().for_each(|total| *total += 1);
    }

    fn fewer(&mut self, state: State, by: u64) -> Result<(), Error> {
        if let Some(total) = self.total(state) {
            *total = total.checked_sub(by).ok_or_else(damaged)?;
        }
        Ok(())
    }

    /// Removes a queue, and returns its number.
    pub(super) fn remove(&mut self, name: &str) -> Result<Option<u64>, Error> {
        let Some(number) = self.number(name)? else { return Ok(None) };
        let counts = self.counts(number)?.unwrap_or_default();
        self.fewer(State::Pending, counts.pending)?;
        self.fewer(State::Dead, counts.dead)?;
        self.kept.remove(&number);
        self.numbers.remove(name);
        self.names.remove(name)?;
        self.queues.remove(number)?;
        Ok(Some(number))
    }

    /// Returns the names and numbers of all queues, ascending by the bytes of the names.
    pub(super) fn all(&mut self) -> Result<Vec<(String, u64)>, Error> {
        self.write_back()?;
        let rows = self.names.iter()?;
        rows.map(|row| {
            let (name, row) = row?;
            Ok((name.value().to_owned(), number_of(name.value(), row.value())?))
        })
        .collect()
    }

    fn known(&mut self, name: &str) -> Result<Option<u64>, Error> {
        match self.numbers.get(name) {
            Some(number) => Ok(Some(*number)),
            None => self.names.get(name)?.map(|row| number_of(name, row.value())).transpose(),
        }
    }

    fn change(&mut self, number: u64) -> Result<&mut Counts, Error> {
        self.changed.set();
        let queue = self.find(number)?.ok_or_else(damaged)?;
        queue.changed = true;
        Ok(&mut queue.counts)
    }

    fn find(&mut self, number: u64) -> Result<Option<&mut Queue>, Error> {
        if !self.kept.contains_key(&number) {
            let row = self.queues.get(number)?.map(|row| Counts::from_row(number, row.value()));
            let Some((name, counts)) = row.transpose()? else { return Ok(None) };
            self.keep(number, Queue { name, counts, changed: false })?;
        }
        Ok(self.kept.get_mut(&number))
    }

    fn keep(&mut self, number: u64, queue: Queue) -> Result<(), Error> {
        if self.kept.len() >= MAX_KEPT {
            self.write_back()?;
            self.kept.clear();
            self.numbers.clear();
        }
        self.numbers.insert(queue.name.clone(), number);
        self.kept.insert(number, queue);
        Ok(())
    }
}
