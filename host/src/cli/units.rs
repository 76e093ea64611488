//! Durations, sizes and counts on the command line.

use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// `500ms`, `10s`, `5m`
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(duration) if (Duration::from_millis(1)..=DAY * 7).contains(&duration) => Ok(duration),
        Ok(_) => Err("1ms to 7d are allowed".into()),
        Err(_) => Err("a duration is written as 500ms, 10s or 5m".into()),
    }
}

/// `64M`, `256MiB`, `1G`: every unit is a power of 1024.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let size = parse_size::Config::new().with_binary().parse_size(text);
    size.map_err(|_| "a size is written as 64M, 256MiB or 1G".into())
}

/// A size within the range of a script's memory.
pub(crate) fn memory(text: &str) -> Result<u64, String> {
    match size(text)? {
        size if (16 << 20..=4 << 30).contains(&size) => Ok(size),
        _ => Err("16M to 4G are allowed".into()),
    }
}

/// A whole number from 0 to the largest count that `g` accepts.
pub(crate) fn natural(text: &str) -> Result<u32, String> {
    const MAX: u32 = i32::MAX as u32;
    let number = text.parse().ok().filter(|number| *number <= MAX);
    number.ok_or_else(|| format!("whole numbers from 0 to {MAX} are allowed"))
}

/// The id of an item.
pub(crate) fn id(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "an id is a whole number".into())
}

/// `high`, `normal`, `low`, or the 2, 1, 0 of scripts.
pub(crate) fn priority(text: &str) -> Result<u8, String> {
    match text {
        "high" | "2" => Ok(2),
        "normal" | "1" => Ok(1),
        "low" | "0" => Ok(0),
        _ => Err("high, normal and low are allowed, or 2, 1 and 0".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_written() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("5m"), Ok(Duration::from_secs(300)));
        assert_eq!(duration("1m 30s"), Ok(Duration::from_secs(90)));
    }

    #[test]
    fn durations_without_a_unit_or_out_of_range_are_refused() {
        for text in ["", "10", "ten", "-1s", "1.5.s"] {
            assert!(duration(text).unwrap_err().contains("500ms"), "{text}");
        }
        for text in ["0", "0s", "1us", "8d"] {
            assert!(duration(text).unwrap_err().contains("1ms to 7d"), "{text}");
        }
    }

    #[test]
    fn counts_and_priorities_have_plain_messages() {
        assert_eq!([natural("0"), natural("2147483647")], [Ok(0), Ok(2_147_483_647)]);
        for text in ["", "-1", "1.5", "x", "2147483648", "99999999999999999999"] {
            assert_eq!(natural(text).unwrap_err(), "whole numbers from 0 to 2147483647 are allowed", "{text}");
        }
        assert_eq!(["high", "2", "low", "0", "normal"].map(priority), [2, 2, 0, 0, 1].map(Ok));
        assert_eq!(priority("3").unwrap_err(), "high, normal and low are allowed, or 2, 1 and 0");
        assert_eq!(id("-1").unwrap_err(), "an id is a whole number");
    }

    #[test]
    fn sizes_are_read_as_written() {
        assert_eq!(memory("64M"), Ok(64 << 20));
        assert_eq!(memory("256MiB"), Ok(256 << 20));
        assert_eq!(memory("1G"), Ok(1 << 30));
        assert_eq!(memory("16777216"), Ok(16 << 20));
    }

    #[test]
    fn sizes_out_of_range_are_refused() {
        for text in ["0", "1K", "15.9M", "5G", "15E"] {
            assert!(memory(text).unwrap_err().contains("16M to 4G"), "{text}");
        }
        for text in ["", "x", "-1M", "1Q", "17E"] {
            assert!(memory(text).unwrap_err().contains("64M"), "{text}");
        }
    }
}
