//! `g.store.update`: no update of any run or process is lost.

use std::{sync::Arc, time::Duration};

use anyhow::Result;
use ghost::{
    Host, Origin, RunOptions, Script,
    store::Documents,
    workspace::{Create, Workspace},
};
use ghost_tests::folder::Folder;
use tokio::task::JoinSet;

const PROCESSES: usize = 8;
const INCREMENTS: usize = 3_000;

/// Counts in one document, and in one that its updates delete again and again.
const COUNT: &str = "
export function main(times) {
  for (let i = 0; i < Number(times); i++) {
    g.store.update('c', 'count', (count = 0) => count + 1);
    g.store.update('c', 'flag', (flag) => (flag ? undefined : 1));
  }
}";

#[test]
fn updates_of_several_processes_are_all_kept() {
    let folder = Folder::new();
    folder.write("count.js", COUNT);
    folder.ghost(["init"]).finish().exits(0);
    let times = INCREMENTS.to_string();
    let running = [(); PROCESSES].map(|()| folder.ghost(["run", "count.js", &times]).start());
    running.into_iter().for_each(|run| drop(run.finish().exits(0)));
    let all = format!("{}\n", PROCESSES * INCREMENTS);
    folder.ghost(["store", "get", "c", "count"]).finish().exits(0).prints(&all);
    // An even number of turns, so it is off again.
    folder.ghost(["store", "get", "c", "flag"]).finish().exits(1);
    folder.ghost(["workspace", "check"]).finish().exits(0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn updates_of_several_runs_of_a_host_are_all_kept() -> Result<()> {
    const RUNS: usize = 16;
    let folder = tempfile::tempdir()?;
    let workspace = Workspace::at(folder.path(), Create::AtFirstUse);
    let host = Arc::new(Host::new()?);
    let script = Arc::new(Script::from_source(&host, "count.js", COUNT).await?);
    let mut runs = JoinSet::new();
    for _ in 0..RUNS {
        let (host, script, workspace) = (Arc::clone(&host), Arc::clone(&script), Some(workspace.clone()));
        runs.spawn(async move {
            let arguments = vec!["500".into()];
            host.run(&script, RunOptions { workspace, arguments, ..RunOptions::of(Origin::Local) }).await.result
        });
    }
    while let Some(ended) = runs.join_next().await {
        ended??;
    }
    let stored = Documents::of(&workspace).get("c", "count")?.map(|document| document.data);
    assert_eq!(stored, Some((RUNS * 500).to_string()));
    Ok(())
}

/// A function that is slower than all others is called again and again; the run's time ends it, and nothing is half done.
#[test]
fn an_update_that_always_conflicts_ends_with_the_time_of_the_run() {
    let folder = Folder::new();
    folder.ghost(["init"]).finish().exits(0);
    let stubborn = "export function main() {
      g.store.update('c', 'k', () => { g.store.put('c', 'k', 1); for (let i = 0; i < 1e6; i++); return 2; });
    }";
    folder.script(["--timeout", "300ms"], stubborn).finish().exits(3);
    folder.ghost(["store", "get", "c", "k"]).finish().exits(0).prints("1\n");
}

#[tokio::test]
async fn a_library_host_gets_a_notice_of_a_truncated_list() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let workspace = Some(Workspace::at(folder.path(), Create::AtFirstUse));
    let host = Host::new()?;
    let source = "export function main() {
      for (let i = 0; i < 120; i++) g.store.put('c', `${i}`, i);
      for (let i = 0; i < 3; i++) g.store.list('c');
      throw new Error('also of a run that fails');
    }";
    let script = Script::from_source(&host, "list.js", source).await?;
    let outcome = host.run(&script, RunOptions { workspace, ..RunOptions::of(Origin::Local) }).await;
    let expected = "g.store.list(\"c\") gave 100 of 120 documents: give a limit, or use g.store.all";
    assert_eq!(outcome.notices, [expected]);
    assert!(outcome.result.is_err() && outcome.console.is_empty());
    assert!(outcome.figures.time < Duration::from_secs(60));
    Ok(())
}
