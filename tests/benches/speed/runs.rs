//! Runs in a process that is there already.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use ghost::{Host, Instances, RunOptions, Script};
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
    let pooled = each(Instances::Pool(8))?;
    let on_demand = each(Instances::OnDemand)?;
    Ok(vec![Row {
        what: "a run in a warm host".into(),
        measured: format!("{pooled:.0} µs, {:.0} a second", 1e6 / pooled),
        beside: format!("without a pool {on_demand:.0} µs"),
        wanted: "50 µs, 20,000 a second",
    }])
}

/// Microseconds a run.
fn each(instances: Instances) -> Result<f64> {
    let warm = Warm::new(instances, "export const main = () => 1;")?;
    for _ in 0..100 {
        warm.run(RunOptions::default())?;
    }
    let started = Instant::now();
    for _ in 0..RUNS {
        warm.run(RunOptions::default())?;
    }
    Ok(started.elapsed().as_secs_f64() * 1e6 / f64::from(RUNS))
}
