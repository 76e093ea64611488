//! One host for many tenants, and one workspace for many processes.

use std::{
    fs::File,
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;
use ghost::{
    Host, Instances, Origin, RunOptions, Script,
    secrets::{Secret, Secrets},
    workspace::{Create, Workspace},
};
use ghost_tests::folder::Folder;
use tokio::task::JoinSet;

use super::run;

/// Each run finds what its own tenant has, and the global state of no other run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_tenant_sees_what_another_has() -> Result<()> {
    let host = Host::builder().instances(Instances::Pool(4)).build()?;
    let source = "export async function main(tenant) {
        const before = [globalThis.tenant, g.store.count('notes')];
        globalThis.tenant = tenant;
        Object.prototype.leak = tenant;
        g.store.put('notes', tenant, { tenant });
        const code = (name) => g.sqldb.query(name, 'select 1').catch((error) => error.code);
        return [...before, await code(`of-${tenant}`), await code('of-other'), g.store.list('notes').map(({ key }) => key)];
      }";
    let script = Script::from_source(&host, "tenant.js", source).await?;
    let folders: Vec<_> = (0..20).map(|_| Folder::new()).collect();
    let mut runs = JoinSet::new();
    for (number, folder) in folders.iter().enumerate() {
        let (host, script, tenant) = (host.clone(), script.clone(), format!("t{number}"));
        let own = format!("of-{tenant}");
        // A secret of no known form: the script learns that there is one, and nothing of it.
        let secrets = Secrets::new(move |name| Ok((name == own).then(|| Secret::from("x".to_owned()))));
        let options = RunOptions {
            workspace: Some(Workspace::at(folder.path(), Create::AtFirstUse)),
            secrets: Some(secrets),
            ..RunOptions::of(Origin::Local)
        }
        .with_argument(&tenant)?;
        runs.spawn(async move { (tenant, host.run(&script, options).await) });
    }
    for (tenant, outcome) in runs.join_all().await {
        let found: serde_json::Value = outcome.value()?;
        let expected = serde_json::json!([null, 0, "SECRET_INVALID", "SECRET_NOT_FOUND", [tenant]]);
        assert_eq!(found, expected);
    }
    Ok(())
}

/// The runtime has one thread, which counts while a script waits for another process.
#[tokio::test]
async fn a_call_that_waits_for_another_process_blocks_no_thread_of_the_runtime() -> Result<()> {
    let (host, folder) = (Host::new()?, Folder::new());
    let workspace = Workspace::at(folder.path(), Create::AtFirstUse);
    let options = |workspace: &Workspace| RunOptions { workspace: Some(workspace.clone()), ..RunOptions::default() };
    let put = "export const main = () => (g.store.put('c', 'k', 1), g.queue.count('q') + g.search.count());";
    run(&host, put, options(&workspace)).await.value::<u64>()?;
    workspace.close()?;

    let lock = File::options().write(true).open(folder.path().join(".ghost/lock"))?;
    lock.lock()?;
    let holder = thread::spawn(move || {
        thread::sleep(Duration::from_millis(700));
        drop(lock);
    });
    let mut turns = 0;
    let count = async {
        loop {
            tokio::time::sleep(Duration::from_millis(5)).await;
            turns += 1;
        }
    };
    let start = Instant::now();
    let outcome = tokio::select! {
        outcome = run(&host, put, options(&workspace)) => outcome,
        () = count => unreachable!("it counts forever"),
    };
    outcome.value::<u64>()?;
    holder.join().expect("no panic");
    assert!(start.elapsed() > Duration::from_millis(500), "the script did not wait");
    assert!(turns > 20, "there were {turns} turns in {:?}", start.elapsed());
    Ok(())
}

#[tokio::test]
async fn a_workspace_that_stays_with_another_process_is_busy() -> Result<()> {
    let (host, folder) = (Host::new()?, Folder::new());
    Workspace::init(folder.path())?;
    let lock = File::options().write(true).open(folder.path().join(".ghost/lock"))?;
    lock.lock()?;
    let workspace = Some(Workspace::at(folder.path(), Create::Never));
    let source = "export const main = () => { try { g.store.count('c'); } catch (error) { return error.code; } };";
    let outcome = run(&host, source, RunOptions { workspace, ..RunOptions::default() }).await;
    assert_eq!(outcome.value::<String>()?, "BUSY");
    Ok(())
}
