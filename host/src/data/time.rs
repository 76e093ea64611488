//! The clock, and its times as scripts see them.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Returns the time in milliseconds since 1970.
pub(crate) type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// The system's clock.
pub(crate) fn system_clock() -> Clock {
    Arc::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}

/// The end of the year 9999, the last time with this text format.
const LAST: u64 = 253_402_300_799_999;

/// Milliseconds since 1970, as `Date.prototype.toISOString` prints them.
pub fn iso(milliseconds: u64) -> String {
    humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(milliseconds.min(LAST))).to_string()
}
