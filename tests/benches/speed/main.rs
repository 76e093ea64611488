//! How fast ghost is by itself, beside what is wanted. Prints rows for the README; beside others: `../peers`.
//!
//! `cargo bench -p ghost-tests --bench speed`; one row or more by name: `… -- index queries`

mod calls;
mod runs;
mod search;
mod threads;

use anyhow::Result;
use ghost_tests::machine;

/// One row of the table.
struct Row {
    what: String,
    measured: String,
    beside: String,
    wanted: &'static str,
}

type Measure = fn() -> Result<Vec<Row>>;

const MEASURES: &[(&str, Measure)] = &[
    ("warm", runs::warm),
    ("million", runs::million),
    ("threads", threads::threads),
    ("bare", calls::bare),
    ("put", calls::put),
    ("list", calls::list),
    ("queue", calls::queue),
    ("index", search::index),
    ("first", search::first),
    ("queries", search::queries),
];

fn main() -> Result<()> {
    println!("{}\n", machine::description()?);
    println!("| What | ghost | Beside | Wanted |\n|---|---|---|---|");
    let named: Vec<_> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for (name, measure) in MEASURES {
        if named.is_empty() || named.iter().any(|named| named == name) {
            for Row { what, measured, beside, wanted } in measure()? {
                println!("| {what} | {measured} | {beside} | {wanted} |");
            }
        }
    }
    Ok(())
}
