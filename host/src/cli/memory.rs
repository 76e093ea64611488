//! The resident memory of this process.

use std::{fs, time::Duration};

/// The memory of the process in addition to the memory limit of the script, in bytes.
const HOST_BYTES: u64 = 100_000_000;
/// The memory that the process may still allocate between the detection and its end, in bytes.
const MARGIN: u64 = 24_000_000;
/// The compiler allocates some megabytes in this time.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Returns when the process has more memory than a run with this memory limit may use. The memory of the component
/// compiler can be measured only here, where the process has one run.
pub(super) async fn exceeded(memory: u64) {
    let limit = memory.saturating_add(HOST_BYTES - MARGIN);
    while resident().is_none_or(|bytes| bytes <= limit) {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Returns the resident memory, in bytes; none where the system does not report it.
fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").parse().ok().map(|kibibytes: u64| kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocated_memory_is_measured() {
        let before = resident().unwrap();
        let taken = std::hint::black_box(vec![1_u8; 50 << 20]);
        assert!(resident().unwrap() >= before + (40 << 20), "{} of {}", taken.len(), before);
    }
}
