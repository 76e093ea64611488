//! Expired leases. No thread watches them: each call on queues first returns expired checkouts.

use redb::{Error, ReadableTable, ReadableTableMetadata};

use super::{
    LEASE_MS, Tables,
    value::{Checkout, damaged, sum_of},
};

/// How many expired leases one call ends.
const STEPS: usize = 1_000;
/// How many expired checkouts are remembered.
const REMEMBERED: u64 = 10_000;
/// How many leases one call examines after the clock was set back.
const LOOK_BACK_STEPS: usize = 256;
/// By how much the clock may go back before it counts as set back, in milliseconds.
pub(super) const TOLERANCE: u64 = 1_000;

/// The last error of an item whose lease expired.
const ERROR: &str = "lease expired";

impl Tables<'_> {
    /// Returns checkouts whose lease has ended to their queues.
    pub(super) fn expire(&mut self, now: u64) -> Result<(), Error> {
        self.shorten_after_clock_was_set_back(now)?;
        let ended_at = now.saturating_sub(self.state.grace());
        for _ in 0..STEPS {
            if self.next_expiry.is_none_or(|next| next > ended_at) {
                break;
            }
            let Some((lease, sum)) = self.leases.first()?.map(|(lease, sum)| (lease.value(), sum.value())) else {
                self.next_expiry = None;
                break;
            };
            let (expires, id) = lease;
            if sum != sum_of(&[expires, id], &[]) {
                return Err(damaged());
            }
            self.next_expiry = Some(expires);
            if expires <= ended_at {
                self.expire_one(id, now)?;
            }
        }
        Ok(())
    }

    /// Whether leases that have ended may be left, after a call of `expire`.
    pub(super) fn has_ended_leases(&self, now: u64) -> bool {
        self.next_expiry.is_some_and(|next| next.saturating_add(self.state.grace()) <= now)
    }

    /// Whether a checkout is among the most recently expired ones, of which 10,000 are remembered.
    pub(super) fn has_expired(&self, id: u64) -> Result<bool, Error> {
        Ok(self.expired.get(id)?.is_some())
    }

    /// Ends a checkout whose lease has ended by the clock, unless it has time left by elapsed time.
    fn expire_one(&mut self, id: u64, now: u64) -> Result<(), Error> {
        // The clock may have been set forward: checkouts of this process are measured by elapsed time.
        let remaining = self.state.live_checkouts.remaining(id);
        if self.checked_out.get(id)?.is_none() {
            return Err(damaged());
        }
        // `None`: the queue was cleared.
        let Some(checkout) = self.take_checkout(id)? else { return Ok(()) };
        if let Some(remaining) = remaining {
            self.put_checkout(id, &Checkout { expires: now.saturating_add(remaining.max(1)), ..checkout })?;
            self.state.live_checkouts.renew_for(id, remaining);
            return Ok(());
        }
        self.expired.insert(id, ())?;
        if self.expired.len()? > REMEMBERED {
            self.expired.remove_first()?;
        }
        self.record_failed_attempt(checkout, Some(ERROR.into()), now)
    }

    /// Shortens leases that were taken before the clock was set back: those that end later than now plus their whole
    /// length. Leases are sorted by their end, not by their length, so every lease that ends later than now plus the
    /// shortest possible lease is examined, at most 256 per call.
    fn shorten_after_clock_was_set_back(&mut self, now: u64) -> Result<(), Error> {
        let Some(before) = self.state.live_checkouts.observe_clock(now) else { return Ok(()) };
        let earliest_suspicious_end = now.saturating_add(LEASE_MS.0.into()).saturating_add(TOLERANCE);
        let mut leases = Vec::new();
        if earliest_suspicious_end < before.0 {
            for row in self.leases.range((earliest_suspicious_end, 0)..before)?.rev().take(LOOK_BACK_STEPS) {
                leases.push(row?.0.value());
            }
        }
        self.state
            .live_checkouts
            .set_unchecked_before(leases.last().copied().filter(|_| leases.len() == LOOK_BACK_STEPS));
        leases.into_iter().try_for_each(|(expires, id)| self.shorten(expires, id, now))
    }

    /// Lets a lease begin again if it was taken before the clock was set back, since its remaining time is unknown.
    fn shorten(&mut self, expires: u64, id: u64, now: u64) -> Result<(), Error> {
        let row = self.checked_out.get(id)?.map(|row| Checkout::from_bytes(id, row.value()));
        let checkout = row.ok_or_else(damaged)??;
        let latest = now.saturating_add(checkout.lease.into());
        if expires <= latest.saturating_add(TOLERANCE) {
            return Ok(());
        }
        self.leases.remove((expires, id))?;
        self.put_checkout(id, &Checkout { expires: latest, ..checkout })
    }
}
