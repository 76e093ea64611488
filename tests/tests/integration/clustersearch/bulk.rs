//! How `bulk` divides documents, and what it does when the server is too busy.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use ghost_tests::servers::gateway::{Asked, Gateway, Reply};
use serde_json::{Value, json};

use super::{
    caller::{Caller, Given},
    elasticsearch, opensearch,
};

const BUSY: &str =
    r#"{"error":{"type":"es_rejected_execution_exception","reason":"rejected execution: queue is full"},"status":429}"#;

fn is_bulk(asked: &Asked) -> bool {
    asked.line.contains("/_bulk")
}

/// The documents of a request, each with its id.
fn documents(asked: &Asked) -> Vec<(Option<String>, Value)> {
    let lines: Vec<Value> =
        asked.body.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    lines.chunks(2).map(|two| (two[0]["index"]["_id"].as_str().map(ToOwned::to_owned), two[1].clone())).collect()
}

/// The number of documents of an index.
async fn count(caller: &Caller, index: &str) -> Value {
    let query = format!("g.clustersearch.search('cluster', '{index}', {{ size: 0, track_total_hits: true }})");
    caller.call(&query).await.value()["total"]["value"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_request_has_more_documents_or_bytes_than_allowed() {
    let Some(server) = elasticsearch() else { return };
    let gateway = Gateway::plain(server);
    let caller = Caller::plain(gateway.port).within(Duration::from_secs(60));
    let store =
        |documents: &str, size: &str| format!("g.clustersearch.bulk('cluster', 'bulk-sizes', {documents}, {size})");
    let given = caller.call(&store("Array.from({ length: 3500 }, (_, n) => ({ n }))", "undefined")).await;
    assert_eq!(given.value()["successful"], 3500);
    let sizes: Vec<_> = gateway.take_asked().iter().map(|asked| documents(asked).len()).collect();
    assert!(sizes.len() == 4 && sizes.iter().all(|size| *size <= 1_000), "{sizes:?}");
    let given =
        caller.call(&store("Array.from({ length: 30 }, (_, n) => ({ n, text: 'x'.repeat(900000) }))", "1000")).await;
    assert_eq!(given.value()["successful"], 30);
    let asked = gateway.take_asked();
    assert!(asked.len() == 6 && asked.iter().all(|asked| asked.body.len() <= 5_000_000), "{}", asked.len());
    assert!(asked.iter().all(|asked| asked.header("content-type") == Some("application/x-ndjson")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_for_load_is_sent_again() {
    let (Some(elasticsearch), Some(opensearch)) = (elasticsearch(), opensearch()) else { return };
    for server in [elasticsearch, opensearch] {
        let gateway = Gateway::plain(server);
        let mut tries: HashMap<String, u32> = HashMap::new();
        // Every request is refused once as a whole.
        gateway.rule(move |asked| {
            if !is_bulk(asked) {
                return Reply::Pass;
            }
            let first = documents(asked).first().and_then(|(id, _)| id.clone()).unwrap_or_default();
            let tried = tries.entry(first).or_default();
            *tried += 1;
            if *tried == 1 { Reply::Own(429, "application/json", BUSY.to_owned()) } else { Reply::Pass }
        });
        let caller = Caller::plain(gateway.port);
        caller.call("g.clustersearch.deleteIndex('cluster', 'bulk-busy')").await;
        let store = "g.clustersearch.bulk('cluster', 'bulk-busy', Array.from({ length: 1000 }, (_, n) => ({ _id: String(n), n })), 100, { refresh: true })";
        let given = caller.call(store).await;
        assert_eq!(given.value(), &json!({ "total": 1000, "successful": 1000, "failed": 0, "errors": [] }));
        assert_eq!(gateway.take_asked().iter().filter(|asked| is_bulk(asked)).count(), 20);
        assert_eq!(count(&caller, "bulk-busy").await, 1000);
    }
}

/// Answers a request as a server does that has stored nothing but the documents that `status` gives 201 for.
fn answered(asked: &Asked, mut status: impl FnMut(&str) -> u16) -> Reply {
    let items = documents(asked).into_iter().map(|(id, _)| match status(&id.expect("it has an id")) {
        201 => json!({ "index": { "status": 201 } }),
        status => json!({ "index": { "status": status, "error": { "type": "some_exception", "reason": "no room" } } }),
    });
    let items: Vec<_> = items.collect();
    Reply::Own(200, "application/json; charset=UTF-8", json!({ "took": 1, "errors": true, "items": items }).to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_documents_that_are_refused_for_load_are_sent_again() {
    let Some(server) = elasticsearch() else { return };
    let gateway = Gateway::plain(server);
    let mut stored = HashSet::new();
    let mut tries: HashMap<String, u32> = HashMap::new();
    gateway.rule(move |asked| {
        answered(asked, |id| {
            assert!(!stored.contains(id), "{id} was stored already");
            let number: u32 = id.parse().expect("a number");
            let tried = tries.entry(id.to_owned()).or_default();
            *tried += 1;
            // Every third is refused, as often as its number says; every seventh is refused for good.
            match number {
                _ if number.is_multiple_of(7) => 400,
                _ if number.is_multiple_of(3) && *tried <= number % 4 => 429,
                _ => {
                    stored.insert(id.to_owned());
                    201
                }
            }
        })
    });
    let store = "g.clustersearch.bulk('cluster', 'bulk-items', Array.from({ length: 210 }, (_, n) => ({ _id: String(n), n })), 50)";
    let given = Caller::plain(gateway.port).call(store).await;
    let value = given.value();
    assert_eq!([&value["total"], &value["successful"], &value["failed"]], [210, 180, 30]);
    let positions: Vec<_> =
        value["errors"].as_array().expect("errors").iter().map(|one| one["position"].clone()).collect();
    assert_eq!(positions, (0..30).map(|n| json!(n * 7)).collect::<Vec<_>>());
    assert_eq!(value["errors"][1], json!({ "position": 7, "id": "7", "status": 400, "reason": "no room" }));
}

#[tokio::test(flavor = "multi_thread")]
async fn retries_end_with_the_time_of_the_run() {
    let Some(server) = elasticsearch() else { return };
    let gateway = Gateway::plain(server);
    gateway.rule(|_| Reply::Own(429, "application/json", BUSY.to_owned()));
    let caller = Caller::plain(gateway.port).within(Duration::from_secs(2));
    let (given, time) = caller.timed("g.clustersearch.bulk('cluster', 'bulk-never', [{ n: 1 }])").await;
    assert!(given == Given::Time && time < Duration::from_millis(2_500), "{given:?} {time:?}");
    let tries = gateway.take_asked().len();
    assert!((4..=7).contains(&tries), "{tries}: 50 ms, doubled each time");
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_that_are_refused_to_the_end_are_errors() {
    let Some(server) = elasticsearch() else { return };
    let gateway = Gateway::plain(server);
    gateway.rule(|_| Reply::Own(429, "application/json", BUSY.to_owned()));
    let caller = Caller::plain(gateway.port).within(Duration::from_secs(60));
    let (given, time) = caller.timed("g.clustersearch.bulk('cluster', 'bulk-never', [{ _id: 'a' }, {}])").await;
    let reason = "rejected execution: queue is full";
    let errors = json!([
        { "position": 0, "id": "a", "status": 429, "reason": reason },
        { "position": 1, "id": null, "status": 429, "reason": reason },
    ]);
    assert_eq!(given.value(), &json!({ "total": 2, "successful": 0, "failed": 2, "errors": errors }));
    assert_eq!(gateway.take_asked().len(), 10);
    assert!(time < Duration::from_secs(30), "{time:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_breaks_leaves_its_outcome_unknown_and_is_not_repeated() {
    let Some(server) = elasticsearch() else { return };
    let gateway = Gateway::plain(server);
    let mut number = 0;
    gateway.rule(move |asked| {
        number += 1;
        if number == 3 { Reply::Raw(Vec::new()) } else { answered(asked, |_| 201) }
    });
    let store = "g.clustersearch.bulk('cluster', 'bulk-broken', Array.from({ length: 1000 }, (_, n) => ({ _id: String(n) })), 100)";
    let given = Caller::plain(gateway.port).call(store).await;
    assert_eq!(given.error(), ("UNAVAILABLE", "the connection to the server broke"));
    assert_eq!(given.detail("unknownOutcome"), true);
    assert_eq!(given.detail("result")["total"], 1000);
    let successful = given.detail("result")["successful"].as_u64().expect("a number");
    let asked = gateway.take_asked();
    let distinct: HashSet<_> = asked.iter().map(|asked| asked.body.clone()).collect();
    assert_eq!(distinct.len(), asked.len(), "no request is sent twice");
    assert_eq!(successful, 100 * (asked.len() as u64 - 1), "the others are counted");
    assert!(asked.len() < 10, "none is sent after it");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_outcome_of_a_later_failure_is_told_with_the_first_one() {
    let Some(server) = elasticsearch() else { return };
    let gateway = Gateway::plain(server);
    let mut number = 0;
    gateway.rule(move |_| {
        number += 1;
        match number {
            1 => Reply::Own(400, "application/json", "{}".into()),
            _ => Reply::OwnLater(Duration::from_secs(1), 502, "text/html", "<h1>".into()),
        }
    });
    let store = "g.clustersearch.bulk('cluster', 'bulk-failures', Array.from({ length: 40 }, (_, n) => ({ n })), 10)";
    let given = Caller::plain(gateway.port).call(store).await;
    assert_eq!(given.error(), ("BACKEND", "the server answered with status 400 without a reason"));
    assert_eq!(given.detail("unknownOutcome"), true);
    assert_eq!(given.detail("result"), &json!({ "total": 40, "successful": 0, "failed": 0 }));
}
