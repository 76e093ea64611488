//! The limit on the bytes that a run may write to its workspace.
//!
//! Replacing or deleting data does not raise the remaining allowance. Counting therefore does not access the disk, and
//! a script that writes and deletes in a loop reaches the limit too.

use crate::{Error, ErrorCode};

/// The bytes that a row takes in addition to its key and value: its entry in a page, and the unused part of the page.
const ROW: u64 = 64;

/// The limit, and the bytes written so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Quota {
    /// The limit, in bytes; `None` for no limit.
    limit: Option<u64>,
    written: u64,
}

impl Quota {
    pub(crate) fn new(limit: Option<u64>) -> Self {
        Self { limit, written: 0 }
    }

    pub(crate) fn is_limited(self) -> bool {
        self.limit.is_some()
    }

    /// Counts rows, and the bytes of their keys and values, before they are written. Fails, and counts nothing, when
    /// they exceed the limit.
    pub(crate) fn charge(&mut self, rows: u64, bytes: usize) -> Result<(), Error> {
        let mut after = *self;
        after.spend((bytes as u64).saturating_add(rows * ROW))?;
        *self = after;
        Ok(())
    }

    /// Counts bytes that are already written. Fails when the limit is exceeded, and then each time.
    pub(crate) fn spend(&mut self, bytes: u64) -> Result<(), Error> {
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
