//! Durations, sizes and counts, as people write them.

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
pub(crate) fn memory(text: &str) -> Result<u64, String> {
    match parse_size::Config::new().with_binary().parse_size(text) {
        Ok(size) if (16 << 20..=4 << 30).contains(&size) => Ok(size),
        Ok(_) => Err("16M to 4G are allowed".into()),
        Err(_) => Err("a size is written as 64M, 256MiB or 1G".into()),
    }
}

/// From 0 to the largest count that `g` takes.
pub(crate) fn natural() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(..=i64::from(i32::MAX))
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
