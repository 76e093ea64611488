//! Tests what happens to the checkouts of a run whose changes are lost.

use std::time::{Duration, Instant};

use tempfile::tempdir;

use crate::{
    Failure, Host, Origin, RunOptions, Script,
    data::queue::{self, EnqueueOptions},
    workspace::{Create, Session, Workspace},
};

fn session(workspace: &Workspace) -> Session {
    workspace.session(Instant::now() + Duration::from_secs(60), Box::new(|_| {}))
}

fn enqueue(workspace: &Workspace, name: &str, data: &str) {
    session(workspace).call(|t| queue::enqueue(t, name, data, EnqueueOptions::default())).unwrap();
}

/// Lets other tasks run until so many items of the queue are checked out.
async fn until_checked_out(workspace: &Workspace, count: u64) {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let queues = session(workspace).call(queue::overview).unwrap();
        if queues.iter().any(|queue| queue.name == "q" && queue.counts.checked_out == count) {
            return;
        }
        assert!(Instant::now() < until, "{queues:?}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// On disk, the items "saved" and "ended" are checked out. Two unsaved changes are lost: the commit of "ended", and the
/// checkout of "lost".
#[tokio::test]
async fn a_run_that_lost_calls_aborts_what_is_checked_out_and_leaves_the_rest_to_others() {
    let folder = tempdir().unwrap();
    let workspace = Workspace::at(folder.path(), Create::AtFirstUse).without_hurry();
    for data in ["\"saved\"", "\"ended\"", "\"lost\""] {
        enqueue(&workspace, "q", data);
    }
    let host = Host::new().unwrap();
    let source = "export async function main() {
        g.queue.dequeue('q');
        const ended = g.queue.dequeue('q');
        await g.queue.waitForItem('go');
        g.queue.commit(ended.id);
        g.queue.dequeue('q');
        await g.queue.waitForItem('go');
    }";
    let script = Script::from_source(&host, "script.js", source).await.unwrap();
    let options = RunOptions { workspace: Some(workspace.clone()), ..RunOptions::of(Origin::Local) };
    let lose = async {
        until_checked_out(&workspace, 2).await;
        enqueue(&workspace, "go", "1");
        workspace.flush().unwrap();
        until_checked_out(&workspace, 2).await;
        while session(&workspace).call(|t| queue::count(t, "q")).unwrap() > 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        let failed: Result<(), _> = session(&workspace).call(|_| panic!("on purpose"));
        assert!(failed.unwrap_err().ends_run());
        // Another session takes the item "lost" before the failed run has ended.
        session(&workspace).call(|t| queue::dequeue(t, "q", queue::DEFAULT_LEASE_MS)).unwrap().unwrap()
    };
    let (outcome, taken) = tokio::join!(host.run(&script, options), lose);
    assert!(matches!(outcome.result, Err(Failure::Storage { .. })), "{:?}", outcome.result);
    assert_eq!(taken.data, "\"lost\"");
    let mut after = session(&workspace);
    after.call(|t| queue::commit(t, taken.id)).expect("it is still checked out");
    let left = after.call(|t| queue::list(t, "q", queue::Page::default())).unwrap();
    let data: std::collections::BTreeSet<_> = left.iter().map(|item| item.data.as_str()).collect();
    assert_eq!(data, ["\"ended\"", "\"saved\""].into());
    assert!(
        left.iter().all(|item| item.last_error.as_deref().is_some_and(|error| error.contains("the workspace failed")))
    );
}
