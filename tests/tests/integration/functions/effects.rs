//! When a function is called, and what has happened by then.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::Result;
use ghost::{
    Error, ErrorCode, Failure, Limits, Origin, RunOptions,
    functions::Functions,
    store::Documents,
    workspace::{Create, Workspace},
};
use ghost_tests::folder::Folder;
use tokio::{
    sync::{Barrier, Notify},
    time::{sleep, timeout},
};

use super::{caught, host, run_with};

/// Returns what is on disk under a key, as after a crash at this moment.
fn on_disk(folder: &Path) -> Result<Option<String>, Error> {
    let copy = Folder::new();
    let copied = fs::create_dir(copy.path().join(".ghost"))
        .and_then(|()| fs::copy(folder.join(".ghost/data.redb"), copy.path().join(".ghost/data.redb")));
    copied.map_err(|error| Error::new(ErrorCode::Data, error.to_string()))?;
    let workspace = Workspace::at(copy.path(), Create::Never);
    Ok(Documents::of(&workspace).get("c", "k")?.map(|document| document.data))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_run_wrote_is_on_disk_before_a_function_is_called() -> Result<()> {
    let folder = Folder::new();
    let path = |folder: &Folder| -> PathBuf { folder.path().to_owned() };
    let (now, later) = (path(&folder), path(&folder));
    let functions = Functions::new("disk")
        .function("now", move |_| on_disk(&now))
        .async_function("later", move |_| std::future::ready(on_disk(&later)));
    let host = host(functions);
    let workspace = Workspace::at(folder.path(), Create::AtFirstUse);
    let body = "const seen = [];
        for (let i = 0; i < 5; i++) {
          g.store.put('c', 'k', i);
          seen.push(g.disk.now());
          g.store.put('c', 'k', i + 10);
          seen.push(await g.disk.later());
        }
        return seen.map(Number);";
    let outcome = run_with(&host, body, RunOptions { workspace: Some(workspace), ..RunOptions::default() }).await;
    assert_eq!(outcome.result?.as_deref(), Some("[0,10,1,11,2,12,3,13,4,14]"));
    Ok(())
}

#[tokio::test]
async fn asynchronous_functions_run_in_parallel() -> Result<()> {
    let barrier = Arc::new(Barrier::new(3));
    let functions = Functions::new("b").async_function("wait", move |_| {
        let barrier = Arc::clone(&barrier);
        async move {
            barrier.wait().await;
            Ok(1)
        }
    });
    let body = "return (await Promise.all([g.b.wait(), g.b.wait(), g.b.wait()])).length";
    let outcome = run_with(&host(functions), body, RunOptions::default()).await;
    assert_eq!(outcome.result?.as_deref(), Some("3"));
    Ok(())
}

#[tokio::test]
async fn no_more_of_them_are_in_progress_than_the_run_may_call() -> Result<()> {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&most);
    let functions = Functions::new("b").async_function("wait", move |_| {
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        async move {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            sleep(Duration::from_millis(5)).await;
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        }
    });
    let limits = Limits { calls: 2, ..Limits::of(Origin::Local) };
    let body = "await Promise.all(Array.from({ length: 8 }, () => g.b.wait()))";
    run_with(&host(functions), body, RunOptions { limits, ..RunOptions::default() }).await.result?;
    assert_eq!(seen.load(Ordering::SeqCst), 2);
    Ok(())
}

/// A synchronous function needs none of the run's permits: with one, this run would wait for itself.
#[tokio::test]
async fn a_synchronous_function_is_called_while_others_wait() -> Result<()> {
    let (begun, wake) = (Arc::new(AtomicBool::new(false)), Arc::new(Notify::new()));
    let (seen, waker) = (Arc::clone(&begun), Arc::clone(&wake));
    let functions = Functions::new("b")
        .async_function("wait", move |_| {
            let (begun, wake) = (Arc::clone(&begun), Arc::clone(&wake));
            async move {
                begun.store(true, Ordering::SeqCst);
                wake.notified().await;
                Ok("woken")
            }
        })
        .function("hasBegun", move |_| Ok(seen.load(Ordering::SeqCst)))
        .function("wake", move |_| {
            waker.notify_one();
            Ok(())
        });
    let limits = Limits { calls: 1, ..Limits::of(Origin::Local) };
    let body = "const waiting = g.b.wait();
        while (!g.b.hasBegun()) await new Promise((resolve) => setTimeout(resolve, 1));
        g.b.wake();
        return await waiting;";
    let outcome = run_with(&host(functions), body, RunOptions { limits, ..RunOptions::default() }).await;
    assert_eq!(outcome.result?.as_deref(), Some("\"woken\""));
    Ok(())
}

/// A function that never returns, and what tells when its future is dropped.
fn endless() -> (Functions, Arc<Notify>, Arc<Notify>) {
    struct Guard(Arc<Notify>);

    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }

    let (begun, dropped) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let seen = (Arc::clone(&begun), Arc::clone(&dropped));
    let functions = Functions::new("b").async_function("wait", move |_| {
        let (begun, guard) = (Arc::clone(&begun), Guard(Arc::clone(&dropped)));
        async move {
            let _guard = guard;
            begun.notify_one();
            std::future::pending::<()>().await;
            Ok(())
        }
    });
    (functions, seen.0, seen.1)
}

const LONG: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_function_is_dropped_at_the_deadline_of_the_run() -> Result<()> {
    let (functions, _, dropped) = endless();
    let limits = Limits { time: Duration::from_millis(300), ..Limits::of(Origin::Local) };
    let options = RunOptions { limits, ..RunOptions::default() };
    let outcome = run_with(&host(functions), &caught("g.b.wait()"), options).await;
    assert_eq!(outcome.result, Err(Failure::Time { limit: limits.time }));
    timeout(LONG, dropped.notified()).await?;
    Ok(())
}

#[tokio::test]
async fn a_function_is_dropped_with_its_run() -> Result<()> {
    let (functions, begun, dropped) = endless();
    let host = host(functions);
    let run = tokio::spawn({
        let host = host.clone();
        async move { run_with(&host, "await g.b.wait()", RunOptions::default()).await.result }
    });
    timeout(LONG, begun.notified()).await?;
    run.abort();
    timeout(LONG, dropped.notified()).await?;
    let after = run_with(&host, "return typeof g.b.wait", RunOptions::default()).await;
    assert_eq!(after.result?.as_deref(), Some("\"function\""));
    Ok(())
}

#[tokio::test]
async fn a_call_that_is_not_awaited_is_named_and_ends_first() -> Result<()> {
    let ended = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&ended);
    let functions = Functions::new("b").async_function("slow", move |_| {
        let ended = Arc::clone(&ended);
        async move {
            sleep(Duration::from_millis(20)).await;
            ended.store(true, Ordering::SeqCst);
            Ok(())
        }
    });
    let outcome = run_with(&host(functions), "g.b.slow()", RunOptions::default()).await;
    outcome.result?;
    assert!(seen.load(Ordering::SeqCst));
    let lines: Vec<_> = outcome.console.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(lines, ["main returned before these calls had ended; await them: g.b.slow"]);
    Ok(())
}
