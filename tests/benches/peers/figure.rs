//! What is left of the same figure, measured several times.

use std::{fmt, time::Duration};

/// The median of several, and how far apart they are.
pub struct Figure {
    median: f64,
    spread: f64,
}

impl Figure {
    /// Of at least one.
    pub fn of(mut measured: Vec<f64>) -> Self {
        measured.sort_by(f64::total_cmp);
        let median = measured[measured.len() / 2];
        let range = measured[measured.len() - 1] - measured[0];
        Self { median, spread: range / 2.0 / median }
    }

    /// Calls a second, as the time of one.
    pub fn time_of_one(&self) -> String {
        format!("{:.1?} ±{:.0} %", Duration::from_secs_f64(1.0 / self.median), self.spread * 100.0)
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ±{:.0} %", thousands(self.median), self.spread * 100.0)
    }
}

/// `12345.6` as `12,346`.
fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let grouped = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    grouped.collect::<Vec<_>>().join(",")
}
