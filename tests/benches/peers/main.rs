//! ghost beside Bun with SQLite and Deno KV, in the same run on the same machine: the same documents, keys and numbers of
//! them. Installs Bun and Deno from npm, into the system's folder for temporary files, and prints a table for the README.
//!
//! `cargo bench -p ghost-tests --bench peers [-- processes | storage | queue | commits]`

mod commits;
mod figure;
mod processes;
mod programs;
mod queue;
mod storage;

use std::env;

use anyhow::Result;
use ghost_tests::machine;

use programs::Programs;

/// How often everything is measured; what is shown is the median.
const ROUNDS: u32 = 5;

fn main() -> Result<()> {
    let programs = Programs::install()?;
    println!("{}; median of {ROUNDS} rounds, ± half of their range\n", machine::description()?);
    let asked: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let wants = |part: &str| asked.is_empty() || asked.iter().any(|asked| asked == part);
    if wants("processes") {
        processes::print(&programs)?;
    }
    if wants("storage") {
        storage::print(&programs)?;
    }
    if wants("queue") {
        queue::print(&programs)?;
    }
    if wants("commits") {
        commits::print()?;
    }
    Ok(())
}
