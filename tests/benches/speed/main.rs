//! How fast ghost is by itself, beside what is wanted. Prints rows for the README; beside others: `../peers`.
//!
//! `cargo bench -p ghost-tests --bench speed`

mod calls;
mod runs;

use anyhow::Result;
use ghost_tests::machine;

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
    for measure in [runs::warm, calls::bare, calls::list, calls::queue] {
        let Row { what, measured, beside, wanted } = measure()?;
        println!("| {what} | {measured} | {beside} | {wanted} |");
    }
    Ok(())
}
