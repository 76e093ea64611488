//! How fast ghost is, beside others that are on `PATH`. Prints the table of the README.
//!
//! `cargo bench -p ghost-tests`

mod calls;
mod machine;
mod peers;
mod processes;
mod runs;

use anyhow::Result;

/// One row of the table.
struct Row {
    what: &'static str,
    measured: String,
    beside: String,
    wanted: &'static str,
}

fn main() -> Result<()> {
    println!("{}\n", machine::description()?);
    println!("| What | ghost | Beside | Wanted |\n|---|---|---|---|");
    for measure in [processes::cold, runs::warm, calls::bare, calls::put, calls::get, calls::list, calls::queue] {
        let Row { what, measured, beside, wanted } = measure()?;
        println!("| {what} | {measured} | {beside} | {wanted} |");
    }
    Ok(())
}
