//! Runs in a process that is there already.

use std::{
    process,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow};
use ghost::{Host, Instances, Origin, RunOptions, Script};
use ghost_tests::machine;
use tokio::runtime::{Builder, Runtime};

use crate::Row;

const RUNS: u32 = 20_000;

/// A host and a script, on one thread.
pub struct Warm {
    pub runtime: Runtime,
    pub host: Host,
    pub script: Script,
}

impl Warm {
    pub fn new(instances: Instances, source: &str) -> Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let host = Host::builder().instances(instances).build()?;
        let script = runtime.block_on(Script::from_source(&host, "bench.js", source))?;
        Ok(Self { runtime, host, script })
    }

    /// One run: the JSON that it returned, and its time up to the last byte on disk.
    pub fn run(&self, options: RunOptions) -> Result<(String, Duration)> {
        let outcome = self.runtime.block_on(self.host.run(&self.script, options));
        let result = outcome.result?.ok_or_else(|| anyhow!("the script returned nothing"))?;
        Ok((result, outcome.figures.time))
    }
}

/// A script that does nothing, over and over.
pub fn warm() -> Result<Vec<Row>> {
    let pooled = each(Instances::Pool(8), Origin::Local)?;
    let local = each(Instances::Pool(8), Origin::Mcp)?;
    let on_demand = each(Instances::OnDemand, Origin::Local)?;
    Ok(vec![Row {
        what: "a run in a warm host, the best tenth".into(),
        measured: format!("{pooled:.0} µs, {:.0} a second", 1e6 / pooled),
        beside: format!("with MCP origin {local:.0} µs; without a pool {on_demand:.0} µs"),
        wanted: "40 µs, 25,000 a second",
    }])
}

/// Runs measured together.
const BATCH: u32 = 50;

/// Microseconds a run, in the best tenth of batches: the same processor may switch between two paces.
fn each(instances: Instances, origin: Origin) -> Result<f64> {
    let warm = Warm::new(instances, "export const main = () => 1;")?;
    let batch = || -> Result<f64> {
        let started = Instant::now();
        for _ in 0..BATCH {
            warm.run(RunOptions { origin, ..RunOptions::default() })?;
        }
        Ok(started.elapsed().as_secs_f64() * 1e6 / f64::from(BATCH))
    };
    let mut batches = (0..RUNS / BATCH).map(|_| batch()).collect::<Result<Vec<_>>>()?;
    batches.sort_by(f64::total_cmp);
    Ok(batches[batches.len() / 10])
}

/// How the memory of a host develops over a million runs, each with its own console output and result.
pub fn million() -> Result<Vec<Row>> {
    let warm = Warm::new(Instances::Pool(8), "export const main = (n) => { console.log(n); return { n }; };")?;
    let mut memory = Vec::new();
    for run in 1..=1_000_000_u32 {
        let options = RunOptions { arguments: vec![run.to_string()], ..RunOptions::default() };
        warm.run(options)?;
        if [1_000, 10_000, 100_000, 1_000_000].contains(&run) {
            let bytes = machine::memory(process::id()).ok_or_else(|| anyhow!("the system does not tell the memory"))?;
            memory.push(format!("{:.1}", bytes as f64 / f64::from(1 << 20)));
        }
    }
    Ok(vec![Row {
        what: "MiB after 1,000, 10,000, 100,000 and 1,000,000 runs".into(),
        measured: memory.join(", "),
        beside: String::new(),
        wanted: "the same",
    }])
}
