//! The tables of the queues. Each state of an item has a table, and the item's row moves from one to the next.
//!
//! A queue has a number, with which the keys of its rows begin. `clear` therefore only removes the row that maps the
//! name to the number; `purge` removes the rest.

use std::{sync::Arc, time::Instant};

use redb::{Error, ReadTransaction, ReadableTable, ReadableTableMetadata, TableDefinition, WriteTransaction};

use super::{
    ProcessState, check,
    queues::{Counts, Queues, State},
    value::{Body, Checkout, Item, PendingKey, Row, damaged, dead_from_bytes, dead_to_bytes, sealed, sum_of, text_of},
};
use crate::data::{Opening, Problems, Table, TableSet, purge::sum_of_cleared};

pub(super) type Bytes = &'static [u8];

/// Key in the order of `dequeue` → item.
pub(super) const PENDING: TableDefinition<'static, PendingKey, Bytes> = TableDefinition::new("queue.pending");
/// Id → checkout.
pub(super) const CHECKED_OUT: TableDefinition<'static, u64, Bytes> = TableDefinition::new("queue.checked-out");
/// When a lease ends, and the checkout's id → checksum.
pub(super) const LEASES: TableDefinition<'static, (u64, u64), u32> = TableDefinition::new("queue.leases");
/// A queue's number and an id → a dead letter.
pub(super) const DEAD: TableDefinition<'static, (u64, u64), Bytes> = TableDefinition::new("queue.dead");
/// The id that an item had when it was enqueued → its JSON, if it is large.
pub(super) const BODIES: TableDefinition<'static, u64, Bytes> = TableDefinition::new("queue.bodies");
/// The ids of the most recently expired checkouts.
pub(super) const EXPIRED: TableDefinition<'static, u64, ()> = TableDefinition::new("queue.lapsed");
/// Numbers of cleared queues whose rows still have to be removed → checksum.
pub(super) const CLEARED: TableDefinition<'static, u64, u32> = TableDefinition::new("queue.cleared");

/// JSON of up to this size is stored in the item's row.
const BODY_BYTES: usize = 4 << 10;
/// The highest priority.
pub(super) const HIGHEST: u8 = 2;

/// The open tables of the queues.
pub(crate) struct Tables<'t> {
    pub(super) queues: Queues<'t>,
    pub(super) pending: Table<'t, PendingKey, Bytes>,
    pub(super) checked_out: Table<'t, u64, Bytes>,
    pub(super) leases: Table<'t, (u64, u64), u32>,
    pub(super) dead: Table<'t, (u64, u64), Bytes>,
    pub(super) bodies: Table<'t, u64, Bytes>,
    pub(super) expired: Table<'t, u64, ()>,
    pub(super) cleared: Table<'t, u64, u32>,
    pub(super) needs_purge: bool,
    /// A lower bound of the time when the next lease ends.
    pub(super) next_expiry: Option<u64>,
    pub(super) state: Arc<ProcessState>,
}

impl<'t> Tables<'t> {
    pub(crate) fn open(opening: &Opening<'t>, state: Arc<ProcessState>) -> Result<Self, Error> {
        let (leases, cleared) = (opening.open_table(LEASES)?, opening.open_table(CLEARED)?);
        let needs_purge = cleared.first()?.is_some();
        let next_expiry = leases.first()?.map(|(lease, _)| lease.value().0);
        let (queues, checked_out) = (Queues::open(opening)?, opening.open_table(CHECKED_OUT)?);
        let (pending, dead) = (opening.open_table(PENDING)?, opening.open_table(DEAD)?);
        // A corrupt table may look like one with fewer rows.
        if checked_out.len()? != leases.len()? || (!needs_purge && [pending.len()?, dead.len()?] != queues.totals()) {
            return Err(damaged());
        }
        Ok(Self {
            queues,
            pending,
            checked_out,
            leases,
            dead,
            bodies: opening.open_table(BODIES)?,
            expired: opening.open_table(EXPIRED)?,
            cleared,
            needs_purge,
            next_expiry,
            state,
        })
    }

    /// Returns the last allocated id.
    pub(super) fn last_id(&self) -> u64 {
        self.queues.last_id()
    }

    pub(super) fn enqueue(
        &mut self,
        name: &str,
        data: &str,
        priority: u8,
        retries: u32,
        now: u64,
    ) -> Result<(), Error> {
        let number = self.queues.number_or_create(name)?;
        let id = self.queues.next_id();
        let body = if data.len() <= BODY_BYTES {
            Body::Here(data.into())
        } else {
            let body = sealed(&[id], |bytes| bytes.extend_from_slice(data.as_bytes()));
            self.bodies.insert(id, body.as_slice())?;
            Body::There(id)
        };
        let row = Row {
            priority,
            attempts: 0,
            max_retries: retries,
            enqueued: now,
            last_attempt: None,
            last_error: None,
            body,
        };
        self.queues.enqueued(number)?;
        self.make_pending(number, id, &row)
    }

    pub(super) fn dequeue(&mut self, name: &str, lease: u32, now: u64) -> Result<Option<Item>, Error> {
        let Some(queue) = self.queues.number(name)? else { return Ok(None) };
        let Some((key, mut row)) = self.first(queue)? else { return Ok(None) };
        self.pending.remove(key)?;
        row.attempts = row.attempts.saturating_add(1).min(i32::MAX as u32);
        row.last_attempt = Some(now);
        let (_, _, id) = key;
        let checkout = Checkout { queue, lease, expires: now.saturating_add(lease.into()), row };
        self.put_checkout(id, &checkout)?;
        self.state.live_checkouts.start(id, lease);
        self.queues.moved(queue, State::Pending, State::CheckedOut)?;
        self.item(id, checkout.row).map(Some)
    }

    pub(super) fn peek(&mut self, name: &str) -> Result<Option<Item>, Error> {
        let Some(queue) = self.queues.number(name)? else { return Ok(None) };
        match self.first(queue)? {
            Some(((_, _, id), row)) => self.item(id, row).map(Some),
            None => Ok(None),
        }
    }

    /// Returns false if the checkout is not live.
    pub(super) fn commit(&mut self, id: u64) -> Result<bool, Error> {
        let Some(checkout) = self.take_checkout(id)? else { return Ok(false) };
        self.remove_body(&checkout.row.body)?;
        self.queues.committed(checkout.queue)?;
        Ok(true)
    }

    /// Returns false if the checkout is not live.
    pub(super) fn abort(&mut self, id: u64, error: Option<String>, now: u64) -> Result<bool, Error> {
        let Some(checkout) = self.take_checkout(id)? else { return Ok(false) };
        self.record_failed_attempt(checkout, error, now)?;
        Ok(true)
    }

    /// Moves an item whose attempt has failed back to pending, or to the dead letters.
    pub(super) fn record_failed_attempt(
        &mut self,
        checkout: Checkout,
        error: Option<String>,
        now: u64,
    ) -> Result<(), Error> {
        let Checkout { queue, mut row, .. } = checkout;
        row.last_error = error;
        let id = self.queues.next_id();
        if row.attempts > row.max_retries {
            self.queues.moved(queue, State::CheckedOut, State::Dead)?;
            self.dead.insert((queue, id), dead_to_bytes((queue, id), now, &row).as_slice())?;
            return Ok(());
        }
        self.queues.moved(queue, State::CheckedOut, State::Pending)?;
        self.make_pending(queue, id, &row)
    }

    /// Sends a dead letter back to pending. Returns false if the queue has no such dead letter.
    pub(super) fn retry(&mut self, name: &str, id: u64) -> Result<bool, Error> {
        let Some(queue) = self.queues.number(name)? else { return Ok(false) };
        let removed = self.dead.remove((queue, id))?.map(|row| dead_from_bytes((queue, id), row.value()));
        let Some((_, mut row)) = removed.transpose()? else { return Ok(false) };
        row.attempts = 0;
        let id = self.queues.next_id();
        self.queues.moved(queue, State::Dead, State::Pending)?;
        self.make_pending(queue, id, &row)?;
        Ok(true)
    }

    /// Sends at most `most` of the oldest dead letters back to pending. Returns their number.
    pub(super) fn retry_oldest(&mut self, name: &str, most: usize) -> Result<u64, Error> {
        let Some(queue) = self.queues.number(name)? else { return Ok(0) };
        let oldest = self.dead.range((queue, 0)..(queue + 1, 0))?.take(most);
        let oldest = oldest.map(|row| row.map(|(key, _)| key.value().1)).collect::<Result<Vec<_>, _>>()?;
        for id in &oldest {
            self.retry(name, *id)?;
        }
        Ok(oldest.len() as u64)
    }

    /// Renews the lease of a checkout. Returns false if it is not live.
    pub(super) fn renew(&mut self, id: u64, now: u64) -> Result<bool, Error> {
        let Some(checkout) = self.take_checkout(id)? else { return Ok(false) };
        let lease = checkout.lease;
        self.put_checkout(id, &Checkout { expires: now.saturating_add(lease.into()), ..checkout })?;
        self.state.live_checkouts.start(id, lease);
        Ok(true)
    }

    pub(super) fn counts(&mut self, name: &str) -> Result<Counts, Error> {
        let Some(queue) = self.queues.number(name)? else { return Ok(Counts::default()) };
        Ok(self.queues.counts(queue)?.unwrap_or_default())
    }

    /// Removes the name and the counts of a queue, if it exists; `purge` removes its items.
    pub(super) fn clear(&mut self, name: &str) -> Result<(), Error> {
        let Some(queue) = self.queues.remove(name)? else { return Ok(()) };
        self.cleared.insert(queue, sum_of_cleared(queue))?;
        self.needs_purge = true;
        Ok(())
    }

    /// Returns the item of a row, with its JSON.
    pub(super) fn item(&self, id: u64, row: Row) -> Result<Item, Error> {
        let data = match row.body {
            Body::Here(data) => data,
            Body::There(number) => {
                text_of(&[number], self.bodies.get(number)?.ok_or_else(damaged)?.value())?.to_owned()
            }
        };
        Ok(Item {
            id,
            data,
            priority: row.priority,
            attempts: row.attempts,
            max_retries: row.max_retries,
            enqueued: row.enqueued,
            last_attempt: row.last_attempt,
            last_error: row.last_error,
            dead_lettered: None,
        })
    }

    pub(super) fn remove_body(&mut self, body: &Body) -> Result<(), Error> {
        if let Body::There(number) = body {
            self.bodies.remove(number)?;
        }
        Ok(())
    }

    fn first(&mut self, queue: u64) -> Result<Option<(PendingKey, Row)>, Error> {
        // For an empty queue, no row has to be read.
        if self.queues.counts(queue)?.is_none_or(|counts| counts.pending == 0) {
            return Ok(None);
        }
        let mut rows = self.pending.range((queue, 0, 0)..(queue + 1, 0, 0))?;
        // The stored number of pending items is at least one.
        let (key, row) = rows.next().ok_or_else(damaged)??;
        Ok(Some((key.value(), Row::of_queue(queue, key.value(), row.value())?)))
    }

    fn make_pending(&mut self, queue: u64, id: u64, row: &Row) -> Result<(), Error> {
        let key = (queue, HIGHEST.saturating_sub(row.priority), id);
        self.pending.insert(key, row.to_bytes(key).as_slice())?;
        self.state.made_available();
        Ok(())
    }

    pub(super) fn put_checkout(&mut self, id: u64, checkout: &Checkout) -> Result<(), Error> {
        self.checked_out.insert(id, checkout.to_bytes(id).as_slice())?;
        self.leases.insert((checkout.expires, id), sum_of(&[checkout.expires, id], &[]))?;
        self.next_expiry = Some(self.next_expiry.map_or(checkout.expires, |next| next.min(checkout.expires)));
        Ok(())
    }

    /// Removes a checkout from the tables. Returns `None` if no checkout has this id, or if the queue was cleared.
    pub(super) fn take_checkout(&mut self, id: u64) -> Result<Option<Checkout>, Error> {
        let removed = self.checked_out.remove(id)?.map(|row| Checkout::from_bytes(id, row.value()));
        let Some(checkout) = removed.transpose()? else { return Ok(None) };
        self.leases.remove((checkout.expires, id))?.ok_or_else(damaged)?;
        self.state.live_checkouts.remove(id);
        if self.queues.counts(checkout.queue)?.is_some() {
            return Ok(Some(checkout));
        }
        self.remove_body(&checkout.row.body)?;
        Ok(None)
    }
}

impl TableSet for Tables<'_> {
    fn open_each(transaction: &WriteTransaction) -> Result<(), Error> {
        Queues::open_each(transaction)?;
        drop(transaction.open_table(PENDING)?);
        drop(transaction.open_table(CHECKED_OUT)?);
        drop(transaction.open_table(LEASES)?);
        drop(transaction.open_table(DEAD)?);
        drop(transaction.open_table(BODIES)?);
        drop(transaction.open_table(EXPIRED)?);
        drop(transaction.open_table(CLEARED)?);
        Ok(())
    }

    fn write_back(&mut self) -> Result<(), Error> {
        self.queues.write_back()
    }

    fn needs_purge(&self) -> bool {
        self.needs_purge
    }

    fn purge(&mut self, until: Instant) -> Result<(), Error> {
        self.purge_cleared(until)
    }

    fn check(transaction: &ReadTransaction, problems: &mut Problems) -> Result<(), Error> {
        check::check(transaction, problems)
    }

    fn holds_nothing(transaction: &ReadTransaction) -> Result<bool, Error> {
        check::holds_nothing(transaction)
    }
}

#[cfg(test)]
impl Tables<'_> {
    /// The numbers of rows, including those of cleared queues: pending, checked out, leases, dead, bodies.
    pub(super) fn rows(&self) -> [u64; 5] {
        let small = [self.pending.len(), self.checked_out.len(), self.leases.len(), self.dead.len(), self.bodies.len()];
        small.map(|length| length.unwrap())
    }
}
