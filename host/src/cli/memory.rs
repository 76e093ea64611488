//! How much memory this process has, as the system counts it.

use std::{fs, time::Duration};

/// How much the process may have beside the memory of a script.
const BESIDE: u64 = 100_000_000;
/// What it may still come to have after it is seen to have too much, until it has ended.
const MARGIN: u64 = 24_000_000;
/// How often it is looked at: a compiler takes some megabytes in that time.
const LOOK: Duration = Duration::from_millis(2);

/// Returns when the process has more than a run with so much memory may take. What the compiler takes for a component is
/// known for sure only here, where there is one run in a process.
pub(super) async fn beyond(memory: u64) {
    let most = memory.saturating_add(BESIDE - MARGIN);
    while resident().is_none_or(|bytes| bytes <= most) {
        tokio::time::sleep(LOOK).await;
    }
}

/// What the process has in RAM, in bytes; nothing where the system does not tell.
fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").parse().ok().map(|kibibytes: u64| kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_seen() {
        let before = resident().unwrap();
        let taken = std::hint::black_box(vec![1_u8; 50 << 20]);
        assert!(resident().unwrap() >= before + (40 << 20), "{} of {}", taken.len(), before);
    }
}
