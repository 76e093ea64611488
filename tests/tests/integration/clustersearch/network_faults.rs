//! A cluster behind a faulty network: no call exceeds its time, and the next one works.

use std::{sync::Arc, time::Duration};

use ghost_tests::servers::{
    gateway::{Gateway, Reply},
    proxy::{Fault, Proxy},
};
use serde_json::json;
use tokio::sync::Barrier;

use super::{
    caller::{Caller, Given, each_method},
    elasticsearch, opensearch,
};

const CALL: Duration = Duration::from_secs(3);
const SLACK: Duration = Duration::from_secs(2);

/// The faults. Those at a late place may come too late for a short answer.
fn faults() -> Vec<Fault> {
    let places = [0, 1, 9, 40, 100, 160, 400];
    let mut faults = vec![Fault::Refuse, Fault::Garbage];
    faults.extend(places.iter().flat_map(|at| [Fault::ResetAt(*at), Fault::HalfCloseAt(*at)]));
    faults.extend([0, 120].map(Fault::StallAt));
    faults
}

/// 18 faults, 6 methods, with and without an open connection: 216.
#[tokio::test(flavor = "multi_thread")]
async fn no_fault_holds_a_call_for_longer_than_its_time_and_the_next_one_works() {
    let (Some(elasticsearch), Some(opensearch)) = (elasticsearch(), opensearch()) else { return };
    for (server, is_warm) in [(elasticsearch, false), (opensearch, true)] {
        let proxy = Proxy::before(server);
        let mut caller = Caller::plain(proxy.port).within(CALL);
        assert_eq!(
            caller.call("g.clustersearch.index('cluster', 'faults', '1', { n: 1 })").await.value(),
            &json!(true)
        );
        for fault in faults() {
            for (method, call) in each_method("faults").into_iter().filter(|(method, _)| !method.ends_with("Index")) {
                if is_warm {
                    proxy.set(Fault::None);
                    assert_eq!(caller.call("g.clustersearch.ping('cluster')").await.value(), &json!(true));
                } else {
                    // Another host has no connection, and the server has not answered it yet.
                    caller = Caller::plain(proxy.port).within(CALL);
                }
                proxy.set_from_here(fault);
                let (given, time) = caller.timed(&call).await;
                assert!(time < CALL + SLACK, "{fault:?}, {method}: {time:?}");
                match &given {
                    Given::Error { code, .. } => assert!(code == "UNAVAILABLE", "{fault:?}, {method}: {given:?}"),
                    Given::Time => assert!(matches!(fault, Fault::StallAt(_) | Fault::Garbage), "{fault:?}, {method}"),
                    Given::Value(_) => assert!(
                        matches!(fault, Fault::ResetAt(100..) | Fault::HalfCloseAt(100..) | Fault::StallAt(100..)),
                        "{fault:?}, {method}: {given:?}"
                    ),
                }
                let is_write = matches!(method, "index" | "bulk");
                let was_sent = matches!(fault, Fault::ResetAt(_) | Fault::HalfCloseAt(_));
                if let Given::Error { details, .. } = &given {
                    let is_unknown = details["unknownOutcome"] == true;
                    assert!(!is_unknown || is_write, "{fault:?}, {method}: {given:?}");
                    assert!(is_unknown || !(is_write && was_sent), "{fault:?}, {method}: {given:?}");
                }
                proxy.set(Fault::None);
                let (next, time) = caller.timed("g.clustersearch.get('cluster', 'faults', '1')").await;
                assert_eq!(next.value(), &json!({ "n": 1 }), "after {fault:?}, {method}");
                assert!(time < CALL + SLACK, "after {fault:?}, {method}: {time:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_network_is_slow_and_no_more() {
    let Some(server) = elasticsearch() else { return };
    let proxy = Proxy::before(server);
    proxy.set(Fault::Slow(Duration::from_millis(50)));
    let caller = Caller::plain(proxy.port);
    for (method, call) in each_method("slow") {
        let before = proxy.delays();
        let given = caller.call(&call).await;
        assert!(proxy.delays() > before, "{method} was not slow");
        assert!(matches!(given, Given::Value(_)) || given.error().0 == "NOT_FOUND", "{method}: {given:?}");
    }
}

/// The gateway answers none before all have arrived.
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_calls_run_at_once() {
    let (gateway, all) = (Gateway::plain(1), Arc::new(Barrier::new(100)));
    gateway.rule(move |_| {
        let answer = r#"{"found":true,"_source":{"n":1}}"#.to_owned();
        Reply::OwnTogether(Arc::clone(&all), 200, "application/json", answer)
    });
    let calls = "Promise.all(Array.from({ length: 100 }, (_, id) => g.clustersearch.get('cluster', 'i', String(id))))";
    let given = Caller::plain(gateway.port).call(calls).await;
    assert_eq!(given.value(), &json!(vec![json!({ "n": 1 }); 100]));
}
