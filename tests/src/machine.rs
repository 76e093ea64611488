//! The machine that figures are measured on.

use std::{fs, thread};

use anyhow::Result;

/// The kernel's own high-water mark of a process's memory, in bytes; none when the process has ended.
pub fn peak_memory(process: u32) -> Option<u64> {
    status(process, "VmHWM:")
}

/// The memory that a process has in RAM now, in bytes; none when it has ended.
pub fn memory(process: u32) -> Option<u64> {
    status(process, "VmRSS:")
}

fn status(process: u32, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let size = status.lines().find_map(|line| line.strip_prefix(name)?.trim().strip_suffix(" kB"))?;
    size.trim().parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}

/// Its processor, memory and kernel.
pub fn description() -> Result<String> {
    let field = |file: &str, name: &str| -> Result<String> {
        let text = fs::read_to_string(file)?;
        let value = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.split_once(':').map(|(_, value)| value.trim().to_owned()));
        Ok(value.unwrap_or_else(|| "unknown".into()))
    };
    let processor = field("/proc/cpuinfo", "model name")?;
    let memory = field("/proc/meminfo", "MemTotal")?;
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease")?;
    Ok(format!("{processor}, {} cores, {memory} of memory, Linux {}", thread::available_parallelism()?, kernel.trim()))
}
