//! What a run may add to its workspace.
//!
//! What is counted is what is written, not what is left of it: nothing is given back for what the run replaces or deletes. So
//! the count needs no look at the disk, and a script that writes and deletes in a loop comes to its end as well.

use crate::{Error, ErrorCode};

/// What a row of a table takes beside its key and its value: its place in a page, and the part of a page that stays free.
const ROW: u64 = 64;

/// How much may be written, and how much was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Quota {
    /// In bytes; none when nothing limits it.
    limit: Option<u64>,
    written: u64,
}

impl Quota {
    pub(super) fn new(limit: Option<u64>) -> Self {
        Self { limit, written: 0 }
    }

    pub(super) fn is_limited(self) -> bool {
        self.limit.is_some()
    }

    /// Counts so many rows with so many bytes of keys and values, before they are written. Fails, and counts nothing, when
    /// they would be more than is allowed.
    pub(super) fn charge(&mut self, rows: u64, bytes: usize) -> Result<(), Error> {
        let mut after = *self;
        after.spend((bytes as u64).saturating_add(rows * ROW))?;
        *self = after;
        Ok(())
    }

    /// Counts bytes that are written already. Fails when they are more than is allowed, and then each time.
    pub(super) fn spend(&mut self, bytes: u64) -> Result<(), Error> {
        self.written = self.written.saturating_add(bytes);
        match self.limit {
            Some(limit) if self.written > limit => Err(Error::new(
                ErrorCode::Limit,
                format!("the run would have written {} bytes to the workspace, the limit is {limit}", self.written),
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_not_counted() {
        let mut quota = Quota::new(Some(100));
        quota.charge(1, 100 - ROW as usize).unwrap();
        let refused = quota.charge(0, 1).unwrap_err();
        assert_eq!(refused.code, ErrorCode::Limit);
        assert_eq!(refused.message, "the run would have written 101 bytes to the workspace, the limit is 100");
        quota.charge(0, 0).unwrap();
    }

    #[test]
    fn what_is_written_already_is_counted_for_good() {
        let mut quota = Quota::new(Some(100));
        assert!(quota.spend(101).is_err());
        assert!(quota.spend(0).is_err());
        assert!(quota.charge(0, 0).is_err());
        assert!(Quota::default().spend(u64::MAX).is_ok());
    }
}
