//! Runs of one host that each put one document: a run ends when its document is on disk.

use std::time::{Duration, Instant};

use anyhow::Result;
use ghost::{
    Host, Instances, RunOptions, Script,
    workspace::{Create, Workspace},
};
use ghost_tests::folder::Folder;
use tokio::{runtime::Runtime, task::JoinSet};

use crate::{ROUNDS, figure::Figure};

const TIME: Duration = Duration::from_millis(700);

pub fn print() -> Result<()> {
    println!("| ghost: runs that each put one document, at a time | runs a second | commits a second |\n|---|---|---|");
    let runtime = Runtime::new()?;
    let host = Host::builder().instances(Instances::Pool(64)).build()?;
    let source = "export function main(key) { g.store.put('c', key, { text: 'x'.repeat(180), n: 1 }); }";
    let script = runtime.block_on(Script::from_source(&host, "put.js", source))?;
    for at_a_time in [1, 8, 64] {
        let (mut runs, mut commits) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let round = runtime.block_on(round(&host, &script, at_a_time))?;
            runs.push(round.0);
            commits.push(round.1);
        }
        println!("| {at_a_time} | {} | {} |", Figure::of(runs), Figure::of(commits));
    }
    Ok(())
}

/// Runs and commits a second.
async fn round(host: &Host, script: &Script, at_a_time: u32) -> Result<(f64, f64)> {
    let folder = Folder::new();
    let workspace = Workspace::at(folder.path(), Create::AtFirstUse);
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for task in 0..at_a_time {
        tasks.spawn(one_after_the_other(host.clone(), script.clone(), workspace.clone(), task, started + TIME));
    }
    let mut runs = 0;
    while let Some(made) = tasks.join_next().await {
        runs += made??;
    }
    let seconds = started.elapsed().as_secs_f64();
    Ok((f64::from(runs) / seconds, workspace.commits() as f64 / seconds))
}

async fn one_after_the_other(
    host: Host,
    script: Script,
    workspace: Workspace,
    task: u32,
    until: Instant,
) -> Result<u32> {
    let mut runs = 0;
    while Instant::now() < until {
        let arguments = vec![format!("\"{task}-{runs}\"")];
        let options = RunOptions { arguments, workspace: Some(workspace.clone()), ..RunOptions::default() };
        host.run(&script, options).await.result?;
        runs += 1;
    }
    Ok(runs)
}
