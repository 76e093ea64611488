//! A server behind a faulty network: no call exceeds its time, an interrupted write says so, the next call works, and nothing
//! of a cut call remains.

use std::{sync::Arc, time::Duration};

use ghost::{Host, Script};
use ghost_tests::servers::{
    self,
    gateway::{Gateway, Reply},
    objectstore,
    proxy::{Fault, Proxy},
};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use super::{caller::Caller, deadlines::entries};
use crate::external;

const TIME: Duration = Duration::from_secs(3);
const SLACK: Duration = Duration::from_secs(1);
const CLEAN_UP: Duration = Duration::from_secs(1);

const BUCKET: &str = "faults";

/// Calls, and whether each changes something at the server.
fn calls() -> Vec<(&'static str, Value, bool)> {
    vec![
        ("getObjectText", json!([BUCKET, "key"]), false),
        ("getObject", json!([BUCKET, "key", "new/down"]), false),
        ("listObjects", json!([BUCKET]), false),
        ("objectExists", json!([BUCKET, "key"]), false),
        ("putObjectText", json!([BUCKET, "text", "text"]), true),
        ("putObject", json!([BUCKET, "file", "small"]), true),
        ("putObject", json!([BUCKET, "large", "large"]), true),
        ("deleteObject", json!([BUCKET, "other"]), true),
        ("copyObject", json!([BUCKET, "key", BUCKET, "copy"]), true),
    ]
}

/// Cut, half an answer, garbage, slow, and reset in a write.
fn faults() -> Vec<Fault> {
    let mut faults = vec![Fault::Refuse, Fault::Garbage, Fault::Slow(Duration::from_millis(20))];
    for at in [0, 1, 20, 200, 400, 700, 1500] {
        faults.extend([Fault::ResetAt(at), Fault::HalfCloseAt(at)]);
    }
    faults.extend([0, 1, 100, 600, 1000, 100_000].map(Fault::ResetSendingAt));
    faults
}

#[tokio::test(flavor = "multi_thread")]
async fn no_fault_holds_a_call_and_the_next_one_works() {
    let Some(server) = servers::or_skip(objectstore::minio()) else { return };
    let proxy = Proxy::before(server.port);
    let direct = Caller::new(server.connection()).await;
    direct.does("createBucket", json!([BUCKET])).await;
    let content = "0123456789".repeat(1000);
    direct.does("putObjectText", json!([BUCKET, "key", content])).await;
    let caller = Caller::new(server.connection_through(proxy.port)).await.within(TIME);
    caller.folder.write("small", "small");
    caller.folder.write("large", vec![b'x'; 17 << 20]);
    let before = entries(caller.folder.path());
    let mut tried = 0;
    for fault in faults() {
        for (method, parameters, is_write) in calls() {
            proxy.set(fault);
            let reported = caller.call(method, parameters).await;
            tried += 1;
            let what = format!("{method} with {fault:?}: {reported:?}");
            assert!(reported.elapsed < TIME + CLEAN_UP + SLACK, "{what}");
            assert!(matches!(reported.code(), "" | "UNAVAILABLE" | "TIMEOUT"), "{what}");
            if let (Err(error), false) = (&reported.outcome, reported.is_late) {
                let is_unknown = error["details"]["unknownOutcome"] == json!(true);
                assert!(is_write || !is_unknown, "{what}");
                // Something was sent, and the connection broke before an answer.
                if matches!(fault, Fault::ResetAt(0) | Fault::HalfCloseAt(0)) && is_write && method != "copyObject" {
                    assert!(is_unknown, "{what}");
                }
            }
            if method == "getObject" {
                if reported.code().is_empty() {
                    std::fs::remove_dir_all(caller.folder.path().join("new")).expect("it was downloaded");
                }
                assert_eq!(entries(caller.folder.path()), before, "{what}");
            }
            proxy.set(Fault::None);
            assert_eq!(caller.does("getObjectText", json!([BUCKET, "key"])).await, json!(content), "after {what}");
        }
        // If the answer that names an upload is lost, the upload stays, without parts.
        assert_eq!(server.unfinished_parts(BUCKET, "large").await, 0, "{fault:?}");
    }
    assert!(tried >= 200, "{tried}");
    println!("{tried} faults");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_download_goes_on_where_it_broke() {
    let Some(server) = servers::or_skip(objectstore::minio()) else { return };
    let direct = Caller::new(server.connection()).await;
    direct.does("createBucket", json!(["resumed"])).await;
    let content = "0123456789abcdef".repeat(200_000);
    direct.does("putObjectText", json!(["resumed", "key", content])).await;
    let proxy = Proxy::before(server.port);
    // Each connection breaks after a third of the object.
    proxy.set(Fault::ResetAt(1 << 20));
    let caller = Caller::new(server.connection_through(proxy.port)).await;
    let text = caller.does("getObjectText", json!(["resumed", "key"])).await;
    assert!(text == json!(content), "{} bytes came", text.as_str().unwrap_or_default().len());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_stalls_is_cut_and_may_have_happened() {
    let Some(server) = servers::or_skip(objectstore::minio()) else { return };
    let direct = Caller::new(server.connection()).await;
    direct.does("createBucket", json!(["stalled"])).await;
    let proxy = Proxy::before(server.port);
    proxy.set(Fault::StallSendingAt(1 << 20));
    let caller = Caller::new(server.connection_through(proxy.port)).await;
    // More than the buffers of the sockets take, and less than what is sent in parts.
    caller.folder.write("file", vec![b'x'; 15 << 20]);
    let reported = caller.call("putObject", json!(["stalled", "key", "file"])).await;
    let error = reported.outcome.as_ref().expect_err("it stalls");
    assert_eq!(reported.code(), "UNAVAILABLE", "{reported:?}");
    assert_eq!(error["message"], json!("the transfer stalled: no byte moved for 20s"));
    assert_eq!(error["details"]["unknownOutcome"], json!(true));
}

/// The gateway answers none before all have arrived.
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_calls_run_at_once() {
    let (gateway, all) = (Gateway::plain(1), Arc::new(Barrier::new(100)));
    gateway.rule(move |_| Reply::OwnTogether(Arc::clone(&all), 200, "text/plain", "text".to_owned()));
    let source = "export const main = async () => {
      const get = (_, key) => g.objectstore.getObjectText('db', 'bucket', String(key));
      const texts = await Promise.all(Array.from({ length: 100 }, get));
      return texts.filter((text) => text === 'text').length;
    };";
    let host = Host::new().expect("a host");
    let script = Script::from_source(&host, "calls.js", source).await.expect("it compiles");
    let secret = format!("s3://key:secret@127.0.0.1:{}?tls=false", gateway.port);
    let outcome = host.run(&script, external::options(&secret, Duration::from_secs(20))).await;
    assert_eq!(outcome.result, Ok(Some("100".to_owned())));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_network_is_slow_and_no_more() {
    let Some(server) = servers::or_skip(objectstore::minio()) else { return };
    let proxy = Proxy::before(server.port);
    let direct = Caller::new(server.connection()).await;
    direct.does("createBucket", json!(["slow"])).await;
    direct.does("putObjectText", json!(["slow", "key", "text"])).await;
    proxy.set(Fault::Slow(Duration::from_millis(100)));
    let caller = Caller::new(server.connection_through(proxy.port)).await;
    let reported = caller.call("getObjectText", json!(["slow", "key"])).await;
    assert!(proxy.delays() > 0, "nothing was slow: {reported:?}");
    assert_eq!(reported.outcome, Ok(json!("text")));
}
