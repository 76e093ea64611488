//! The machine that figures are measured on.

use std::{fs, thread, time::Duration};

use anyhow::Result;

/// The kernel's own high-water mark of a process's memory, in bytes; none when the process has ended.
pub fn peak_memory(process: u32) -> Option<u64> {
    status(process, "VmHWM:")
}

/// The memory that a process has in RAM now, in bytes; none when it has ended.
pub fn memory(process: u32) -> Option<u64> {
    status(process, "VmRSS:")
}

/// How long the threads of a process ran on a processor; none when it has ended.
pub fn cpu_time(process: u32) -> Option<Duration> {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // What follows the name, which is in brackets: the 12th and 13th are the times, in hundredths of a second.
    let fields = state.rsplit(')').next()?.split_whitespace().skip(11).take(2);
    let ticks: Vec<u64> = fields.map(|field| field.parse().ok()).collect::<Option<_>>()?;
    Some(Duration::from_millis(ticks.iter().sum::<u64>() * 10))
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
