//! The limits that a program sets for the local namespaces.

use anyhow::Result;
use ghost::{
    DataLimits, ErrorCode, Failure, Host, Limits, Outcome, RunOptions,
    queue::{EnqueueOptions, Queues},
    search::Searches,
    store::{Documents, ListOptions},
    workspace::{Create, Workspace},
};
use ghost_tests::folder::Folder;

use super::run;

const SMALL: DataLimits = DataLimits { document: 1_000, item: 500, page: 2_000, waiting_calls: 2 };

#[tokio::test]
async fn each_limit_of_a_run_applies_to_its_calls() -> Result<()> {
    let (host, folder) = (Host::new()?, Folder::new());
    let workspace = Workspace::at(folder.path(), Create::AtFirstUse);
    let cases = [
        ("g.store.put('c', 'k', 'x'.repeat(999))", "data is 1001 bytes, the limit is 1000"),
        ("g.queue.enqueue('q', 'x'.repeat(499))", "data is 501 bytes, the limit is 500"),
        (
            "g.search.index({ _collection: 'c', _key: 'k', text: 'x'.repeat(1_000) })",
            "the document is 1040 bytes, the limit is 1000",
        ),
        (
            "for (const key of [1, 2, 3]) g.store.put('c', `${key}`, 'word ' + 'x'.repeat(890)); return g.store.list('c')",
            "the page is larger than 2000 bytes: ask for fewer documents with limit",
        ),
        (
            "return g.store.search('c', 'word')",
            "the page is larger than 2000 bytes: ask for fewer documents with limit",
        ),
        (
            "for (let at = 0; at < 5; at++) g.queue.enqueue('q', 'x'.repeat(498)); return g.queue.list('q')",
            "the page is larger than 2000 bytes: ask for fewer items with limit",
        ),
        (
            "for (const key of [1, 2, 3]) g.search.index({ _collection: 'c', _key: `${key}`, text: 'x'.repeat(900) });
             return g.search.query('*:*')",
            "the results are larger than 2000 bytes: ask for fewer with limit",
        ),
        (
            "await Promise.all([1, 2, 3].map(() => g.queue.waitForItem('empty', { timeoutMs: 60_000 })))",
            "2 waits of the run are in progress, which is the limit",
        ),
    ];
    for (call, message) in cases {
        let outcome = limited(&host, &workspace, SMALL, call).await;
        assert_eq!(thrown(&outcome), message, "{call}");
    }
    Ok(())
}

#[tokio::test]
async fn a_document_of_64_mib_is_stored_listed_and_found_where_the_limits_allow_it() -> Result<()> {
    let (host, folder) = (Host::new()?, Folder::new());
    let workspace = Workspace::at(folder.path(), Create::AtFirstUse);
    let store =
        "g.store.put('c', 'k', 'lorem ' + 'x'.repeat((64 << 20) - 8)); return g.store.get('c', 'k').data.length";
    let all = DataLimits { document: usize::MAX, item: usize::MAX, page: usize::MAX, waiting_calls: usize::MAX };
    let outcome = limited(&host, &workspace, all, store).await;
    assert_eq!(outcome.value::<usize>()?, (64 << 20) - 2);
    let found = "return g.store.search('c', 'lorem').map((found) => found.data.length)";
    assert_eq!(limited(&host, &workspace, all, found).await.value::<Vec<usize>>()?, [(64 << 20) - 2]);

    let larger = "g.store.put('c', 'k', 'x'.repeat((64 << 20) - 1))";
    let refused = limited(&host, &workspace, all, larger).await;
    assert_eq!(thrown(&refused), "data is 67108865 bytes, the limit is 67108864");

    // A run with the usual limits can't write such a document, but reads it.
    let read = "return [g.store.get('c', 'k').data.length, g.store.list('c').length]";
    let outcome = limited(&host, &workspace, DataLimits::default(), read).await;
    assert_eq!(outcome.value::<[usize; 2]>()?, [(64 << 20) - 2, 1]);
    let outcome = limited(&host, &workspace, DataLimits { page: 1 << 20, ..SMALL }, "return g.store.list('c')").await;
    assert_eq!(thrown(&outcome), "the page is larger than 1 MiB: ask for fewer documents with limit");
    Ok(())
}

#[tokio::test]
async fn a_host_caps_the_limits_of_its_runs() -> Result<()> {
    let folder = Folder::new();
    let workspace = Workspace::at(folder.path(), Create::AtFirstUse);
    let host = Host::builder().max_limits(Limits { data: SMALL, ..Limits::default() }).build()?;
    let outcome = limited(&host, &workspace, DataLimits::default(), "g.store.put('c', 'k', 'x'.repeat(999))").await;
    assert_eq!(thrown(&outcome), "data is 1001 bytes, the limit is 1000");
    Ok(())
}

#[test]
fn a_program_sets_the_limits_of_its_own_calls() -> Result<()> {
    let folder = Folder::new();
    let workspace = Workspace::at(folder.path(), Create::AtFirstUse);
    let text = |length: usize| format!("\"{}\"", "x".repeat(length));

    let mut documents = Documents::of(&workspace).with_limits(SMALL);
    let refused = documents.put("c", "k", &text(999)).unwrap_err();
    assert_eq!(
        (refused.code, &*refused.message),
        (ErrorCode::InvalidArgument, "data is 1001 bytes, the limit is 1000")
    );
    for key in ["1", "2", "3"] {
        documents.put("c", key, &text(900))?;
    }
    assert_eq!(documents.list("c", &ListOptions::default()).unwrap_err().code, ErrorCode::Limit);
    assert_eq!(Documents::of(&workspace).list("c", &ListOptions::default())?.len(), 3);

    let mut queues = Queues::of(&workspace).with_limits(SMALL);
    assert!(queues.enqueue("q", &text(499), EnqueueOptions::default()).is_err());
    queues.enqueue("q", &text(498), EnqueueOptions::default())?;

    let mut search = Searches::of(&workspace).with_limits(SMALL);
    let fields = |length| format!(r#"{{"_collection":"c","_key":"k","text":{}}}"#, text(length));
    assert!(search.index(&fields(1_000)).is_err());
    search.index(&fields(900))?;
    Ok(())
}

/// Runs the body of a `main` in a workspace.
async fn limited(host: &Host, workspace: &Workspace, data: DataLimits, body: &str) -> Outcome {
    let limits = Limits { data, memory: 1 << 30, result: 1 << 20, ..Limits::default() };
    let options = RunOptions { workspace: Some(workspace.clone()), limits, ..RunOptions::default() };
    run(host, &format!("export async function main() {{ {body}; }}"), options).await
}

/// Returns the message of the exception that ended a run.
fn thrown(outcome: &Outcome) -> &str {
    match &outcome.result {
        Err(Failure::Exception(exception)) => &exception.message,
        other => panic!("{other:?}"),
    }
}
