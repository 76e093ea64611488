//! Moments as scripts see them.

use std::time::{Duration, UNIX_EPOCH};

/// The end of the year 9999, which the text of a time can't pass.
const LAST: u64 = 253_402_300_799_999;

/// Milliseconds since 1970, as `Date.prototype.toISOString` prints them.
pub fn iso(milliseconds: u64) -> String {
    humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(milliseconds.min(LAST))).to_string()
}
