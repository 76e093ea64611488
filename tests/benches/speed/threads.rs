//! Runs on two threads beside runs on one.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow};
use ghost::{
    Host, Instances, RunOptions, Script,
    workspace::{Create, Workspace},
};
use ghost_tests::folder::Folder;
use tokio::runtime::Builder;

use crate::{Row, calls::script};

/// How long runs are counted.
const TIME: Duration = Duration::from_secs(3);
/// The documents that a run reads.
const READS: u32 = 20;

/// What two threads achieve, compared with one.
pub fn threads() -> Result<Vec<Row>> {
    let folder = Folder::new();
    let fill = format!(
        "export function main() {{ for (let n = 0; n < {READS}; n++) g.store.put('c', `k${{n}}`, {{ n }}); return {READS}; }}"
    );
    script(&folder, &fill)?;
    let workspace = Workspace::at(folder.path(), Create::AtFirstUse);
    let empty = "export const main = () => 1;".to_owned();
    let reads = format!(
        "export function main() {{ let sum = 0; for (let n = 0; n < {READS}; n++) sum += g.store.get('c', `k${{n}}`).data.n; return sum; }}"
    );
    let host = Host::builder().instances(Instances::Pool(8)).build()?;
    let mut rows = Vec::new();
    for (what, source) in [("empty runs", empty), ("runs that read 20 documents each", reads)] {
        let [one, two] = [1, 2].map(|threads| per_second(&host, &source, &workspace, threads));
        let (one, two) = (one?, two?);
        rows.push(Row {
            what: format!("{what} on two threads"),
            measured: format!("{two:.0} a second"),
            beside: format!("on one thread {one:.0}: {:.2} times", two / one),
            wanted: "1.8 times",
        });
    }
    Ok(rows)
}

/// The runs per second of all threads together; each has a runtime of its own.
fn per_second(host: &Host, source: &str, workspace: &Workspace, threads: usize) -> Result<f64> {
    let work = || -> Result<f64> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let script = runtime.block_on(Script::from_source(host, "bench.js", source))?;
        let options = || RunOptions { workspace: Some(workspace.clone()), ..RunOptions::default() };
        let one = || runtime.block_on(host.run(&script, options())).result;
        for _ in 0..500 {
            one()?;
        }
        let (mut runs, start) = (0_u32, Instant::now());
        while start.elapsed() < TIME {
            one()?;
            runs += 1;
        }
        Ok(f64::from(runs) / start.elapsed().as_secs_f64())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().map_err(|_| anyhow!("a thread panicked"))?).sum()
    })
}
