//! The time of a run ends inside of every method: the run ends at once, and nothing is left at the server or in the folder.

use std::{
    fs,
    time::{Duration, Instant},
};

use ghost_tests::{
    folder::Folder,
    servers::{
        self, objectstore,
        proxy::{Fault, Proxy},
    },
};
use serde_json::{Value, json};

use super::caller::Caller;

const TIME: Duration = Duration::from_millis(500);
/// By then the outcome is fixed.
const OUTCOME: Duration = Duration::from_millis(100);
/// How long a run may take to return after that, on a machine that is busy.
const SLACK: Duration = Duration::from_millis(800);
/// How long the host may clean up.
const CLEAN_UP: Duration = Duration::from_secs(1);

/// A call of every method that reaches the server.
fn calls(bucket: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("listBuckets", json!([])),
        ("bucketExists", json!([bucket])),
        ("listObjects", json!([bucket])),
        ("getObjectText", json!([bucket, "key"])),
        ("getObject", json!([bucket, "key", "new/down"])),
        ("putObjectText", json!([bucket, "other", "text"])),
        ("putObject", json!([bucket, "other", "small"])),
        ("putObject", json!([bucket, "large", "large"])),
        ("deleteObject", json!([bucket, "other"])),
        ("objectExists", json!([bucket, "key"])),
        ("createBucket", json!([bucket])),
        ("copyObject", json!([bucket, "key", bucket, "other"])),
    ]
}

/// Names of everything in a folder and below.
pub fn entries(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(entries(&path));
        }
        found.push(path.display().to_string());
    }
    found.sort();
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn every_method_ends_with_the_run() {
    let Some(server) = servers::or_skip(objectstore::minio()) else { return };
    let bucket = "deadlines";
    let direct = Caller::new(server.connection()).await;
    direct.does("createBucket", json!([bucket])).await;
    direct.does("putObjectText", json!([bucket, "key", "x".repeat(1 << 20)])).await;
    let proxy = Proxy::before(server.port);
    let caller = Caller::new(server.connection_through(proxy.port)).await.within(TIME);
    caller.folder.write("small", "small");
    caller.folder.write("large", vec![b'x'; 32 << 20]);
    let before = entries(caller.folder.path());
    // Before an answer begins, and in it.
    for at in [0, 200] {
        proxy.set(Fault::StallAt(at));
        for (method, parameters) in calls(bucket) {
            let reported = caller.call(method, parameters).await;
            assert_eq!(reported.code(), "TIMEOUT", "{method} stalled at {at}: {reported:?}");
            let late = reported.elapsed.saturating_sub(TIME);
            // An upload in parts is aborted first, as far as the server answers.
            let most = SLACK + if method == "putObject" { OUTCOME + CLEAN_UP } else { OUTCOME };
            assert!(late < most, "{method}: {late:?} after the deadline");
            assert_eq!(entries(caller.folder.path()), before, "{method}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_is_cut_leaves_no_parts() {
    for server in [objectstore::minio(), objectstore::versitygw()] {
        let Some(server) = servers::or_skip(server) else { continue };
        let bucket = "cut-uploads";
        let direct = Caller::new(server.connection()).await;
        direct.does("createBucket", json!([bucket])).await;
        // In every phase of an upload that takes seconds.
        for milliseconds in [5, 10, 20, 40, 80, 150, 300, 600] {
            let time = Duration::from_millis(milliseconds);
            let caller = Caller::new(server.connection()).await.within(time);
            fs::File::create(caller.folder.path().join("large"))
                .and_then(|file| file.set_len(4 << 30))
                .expect("a file");
            let start = Instant::now();
            let reported = caller.call("putObject", json!([bucket, "large", "large"])).await;
            assert_eq!(reported.code(), "TIMEOUT", "{reported:?}");
            let left = server.unfinished_uploads(bucket, "large").await;
            assert_eq!(left, Vec::<String>::new(), "after {time:?}");
            let elapsed = start.elapsed();
            assert!(elapsed < time + CLEAN_UP + Duration::from_secs(1), "{elapsed:?} for {time:?}");
        }
        assert_eq!(direct.does("objectExists", json!([bucket, "large"])).await, json!(false));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_fails_leaves_no_parts() {
    let Some(server) = servers::or_skip(objectstore::minio()) else { return };
    let bucket = "failed-uploads";
    let direct = Caller::new(server.connection()).await;
    direct.does("createBucket", json!([bucket])).await;
    let proxy = Proxy::before(server.port);
    let caller = Caller::new(server.connection_through(proxy.port)).await;
    caller.folder.write("large", vec![b'x'; 32 << 20]);
    // The parts can't be sent, but everything else can.
    proxy.set(Fault::ResetSendingAt(1 << 20));
    let reported = caller.call("putObject", json!([bucket, "large", "large"])).await;
    assert_eq!(reported.code(), "UNAVAILABLE", "{reported:?}");
    assert_eq!(server.unfinished_uploads(bucket, "large").await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_whose_beginning_is_confirmed_late_is_aborted() {
    let Some(server) = servers::or_skip(objectstore::minio()) else { return };
    let bucket = "late-uploads";
    let direct = Caller::new(server.connection()).await;
    direct.does("createBucket", json!([bucket])).await;
    let proxy = Proxy::before(server.port);
    // The answer comes long after the call, and after the time to clean up.
    proxy.set(Fault::Slow(Duration::from_secs(6)));
    let caller = Caller::new(server.connection_through(proxy.port)).await.within(TIME);
    caller.folder.write("large", vec![b'x'; 32 << 20]);
    let reported = caller.call("putObject", json!([bucket, "large", "large"])).await;
    assert_eq!(reported.code(), "TIMEOUT", "{reported:?}");
    assert_eq!(server.unfinished_uploads(bucket, "large").await.len(), 1, "the server has not begun the upload");
    let start = Instant::now();
    while !server.unfinished_uploads(bucket, "large").await.is_empty() {
        assert!(start.elapsed() < Duration::from_secs(60), "the upload stays");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_program_leaves_no_parts_and_no_file() {
    let Some(server) = servers::or_skip(objectstore::minio()) else { return };
    let bucket = "interrupted";
    let direct = Caller::new(server.connection()).await;
    direct.does("createBucket", json!([bucket])).await;
    direct.does("putObjectText", json!([bucket, "key", "x".repeat(8 << 20)])).await;
    let proxy = Proxy::before(server.port);
    proxy.set(Fault::StallAt(1 << 20));
    let folder = Folder::new();
    fs::File::create(folder.path().join("large")).and_then(|file| file.set_len(4 << 30)).expect("a file");
    let source = "export const main = () => Promise.all([
      g.objectstore.putObject('db', 'interrupted', 'large', 'large'),
      g.objectstore.getObject('slow', 'interrupted', 'key', 'new/down'),
    ]);";
    let run = folder.script([], source).env("GHOST_SECRET_DB", server.connection());
    let running = run.env("GHOST_SECRET_SLOW", &server.connection_through(proxy.port)).start();
    let start = Instant::now();
    while server.unfinished_uploads(bucket, "large").await.is_empty() || !folder.path().join("new").exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "the upload does not begin");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    running.signal(libc::SIGINT);
    let finished = running.finish().exits(130);
    assert_eq!(server.unfinished_uploads(bucket, "large").await, Vec::<String>::new());
    let left: Vec<_> = entries(folder.path()).into_iter().filter(|path| path.contains("/new")).collect();
    assert!(left.is_empty(), "{left:?}\n{finished}");
}
