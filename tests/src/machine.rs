//! What figures are measured on.

use std::{fs, thread};

use anyhow::Result;

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
