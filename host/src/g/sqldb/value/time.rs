//! Dates, times and intervals. The server counts from 2000-01-01, in days or microseconds.

use std::fmt::Write;

use super::{Malformed, Written, fixed, take, take_i32};

const DAY: i64 = 86_400_000_000;
/// Days from 0000-03-01, where the calendar is regular, to 2000-01-01.
const EPOCH: i64 = 730_425;

/// `2026-01-02`, `0044-03-15 BC`, `infinity`
pub(super) fn date(out: &mut String, days: i32) -> Written {
    match days {
        i32::MAX => *out += "infinity",
        i32::MIN => *out += "-infinity",
        days => {
            let day = Day::of(days.into());
            day.write(out)?;
            *out += day.era();
        }
    }
    Ok(())
}

/// `2026-01-02 03:04:05.678`, with the zone and the era behind it.
pub(super) fn timestamp(out: &mut String, microseconds: i64, zone: &str) -> Written {
    if infinite(out, microseconds) {
        return Ok(());
    }
    let day = Day::of(microseconds.div_euclid(DAY));
    day.write(out)?;
    out.push(' ');
    time(out, microseconds.rem_euclid(DAY))?;
    *out += zone;
    *out += day.era();
    Ok(())
}

/// `2026-01-02T03:04:05.678Z`, with microseconds where they are not whole milliseconds. What ISO 8601 has no common form
/// for is as [`timestamp`] writes it.
pub(super) fn iso_timestamp(out: &mut String, microseconds: i64, zone: &str) -> Written {
    let day = Day::of(microseconds.div_euclid(DAY));
    if matches!(microseconds, i64::MAX | i64::MIN) || day.year <= 0 {
        return timestamp(out, microseconds, if zone.is_empty() { "" } else { "+00" });
    }
    day.write(out)?;
    out.push('T');
    let rest = microseconds.rem_euclid(DAY);
    clock(out, rest)?;
    let fraction = rest % 1_000_000;
    if fraction % 1_000 == 0 {
        write!(out, ".{:03}", fraction / 1_000)?
    } else {
        write!(out, ".{fraction:06}")?
    }
    *out += zone;
    Ok(())
}

/// `03:04:05.678`
pub(super) fn time(out: &mut String, microseconds: i64) -> Written {
    clock(out, microseconds)?;
    fraction(out, microseconds % 1_000_000)
}

/// `03:04:05+02:30`
pub(super) fn time_with_zone(out: &mut String, mut raw: &[u8]) -> Written {
    time(out, i64::from_be_bytes(fixed(take(&mut raw, 8)?)?))?;
    // Seconds west of Greenwich.
    let west = take_i32(&mut raw)?;
    let seconds = west.unsigned_abs();
    write!(out, "{}{:02}", if west > 0 { '-' } else { '+' }, seconds / 3_600)?;
    if seconds % 3_600 != 0 {
        write!(out, ":{:02}", seconds / 60 % 60)?;
    }
    if seconds % 60 != 0 {
        write!(out, ":{:02}", seconds % 60)?;
    }
    Ok(())
}

/// `1 year 2 mons -3 days +04:05:06.789`
pub(super) fn interval(out: &mut String, mut raw: &[u8]) -> Written {
    let microseconds = i64::from_be_bytes(fixed(take(&mut raw, 8)?)?);
    let (days, months) = (take_i32(&mut raw)?, take_i32(&mut raw)?);
    let infinite = match (microseconds, days, months) {
        (i64::MAX, i32::MAX, i32::MAX) => Some("infinity"),
        (i64::MIN, i32::MIN, i32::MIN) => Some("-infinity"),
        _ => None,
    };
    if let Some(infinite) = infinite {
        *out += infinite;
        return Ok(());
    }
    let start = out.len();
    // A part behind a negative one shows its sign.
    let mut after_negative = false;
    for (value, unit) in [(months / 12, "year"), (months % 12, "mon"), (days, "day")] {
        if value != 0 {
            let space = if out.len() > start { " " } else { "" };
            let sign = if after_negative && value > 0 { "+" } else { "" };
            write!(out, "{space}{sign}{value} {unit}{}", if value == 1 { "" } else { "s" })?;
            after_negative = value < 0;
        }
    }
    let empty = out.len() == start;
    if empty || microseconds != 0 {
        let space = if empty { "" } else { " " };
        let sign = if microseconds < 0 {
            "-"
        } else if after_negative {
            "+"
        } else {
            ""
        };
        let size = microseconds.unsigned_abs();
        let (minutes, seconds) = (size / 60_000_000, size / 1_000_000 % 60);
        write!(out, "{space}{sign}{:02}:{:02}:{seconds:02}", minutes / 60, minutes % 60)?;
        fraction(out, (size % 1_000_000).try_into().map_err(|_| Malformed)?)?;
    }
    Ok(())
}

fn infinite(out: &mut String, microseconds: i64) -> bool {
    match microseconds {
        i64::MAX => *out += "infinity",
        i64::MIN => *out += "-infinity",
        _ => return false,
    }
    true
}

fn clock(out: &mut String, microseconds: i64) -> Written {
    let seconds = microseconds / 1_000_000;
    Ok(write!(out, "{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)?)
}

/// `.678`, or nothing.
fn fraction(out: &mut String, microseconds: i64) -> Written {
    if microseconds != 0 {
        let digits = format!("{microseconds:06}");
        write!(out, ".{}", digits.trim_end_matches('0'))?;
    }
    Ok(())
}

/// A day of the Gregorian calendar; year 0 is 1 BC.
struct Day {
    year: i64,
    month: i64,
    day: i64,
}

impl Day {
    /// By the days since 2000-01-01. Years begin in March here, so that the leap day is the last.
    fn of(days: i64) -> Self {
        let days = days + EPOCH;
        let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * of_year + 2) / 153;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self { year, month, day: of_year - (153 * from_march + 2) / 5 + 1 }
    }

    fn write(&self, out: &mut String) -> Written {
        let year = if self.year > 0 { self.year } else { 1 - self.year };
        Ok(write!(out, "{year:04}-{:02}-{:02}", self.month, self.day)?)
    }

    fn era(&self) -> &'static str {
        if self.year > 0 { "" } else { " BC" }
    }
}
