//! The end of a run's time inside a call: the outcome is fixed at once, and nothing goes on at the server.

use std::time::{Duration, Instant};

use ghost_tests::servers::gateway::{Gateway, Reply};
use serde_json::json;

use super::{
    caller::{Caller, Given, each_method},
    elasticsearch, opensearch,
};

const TIME: Duration = Duration::from_secs(1);
/// Within this time of the deadline the outcome is fixed.
const FIXED: Duration = Duration::from_millis(100);
/// Within this time nothing of it runs at the server any more.
const GONE: Duration = Duration::from_secs(1);
/// Starting and ending a run, on a busy machine.
const SLACK: Duration = Duration::from_millis(900);

#[tokio::test(flavor = "multi_thread")]
async fn the_outcome_of_each_method_is_fixed_at_the_deadline() {
    let Some(server) = elasticsearch() else { return };
    let gateway = Gateway::plain(server);
    // No answer; the head of one; a part of its body.
    for part in
        ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"]
    {
        gateway.rule(move |_| Reply::Stall(part.as_bytes().to_vec()));
        let caller = Caller::plain(gateway.port).within(TIME);
        for (method, call) in each_method("deadline") {
            let (given, time) = caller.timed(&call).await;
            assert_eq!(given, Given::Time, "{method}");
            assert!(time < TIME + FIXED + SLACK, "{method}: {time:?}");
        }
    }
}

/// A search that takes long: each document of an index is compared with many patterns.
fn slow_search(index: &str) -> String {
    format!(
        "g.clustersearch.search('cluster', '{index}', {{ size: 0, query: {{ bool: {{ should: Array.from({{ length: 1000 }}, (_, n) => ({{
            regexp: {{ text: `.*${{n % 10}}.*x${{n}}y` }} }})) }} }} }})"
    )
}

/// The searches that run at the server.
const RUNNING: &str = "indices:data/read/search";

async fn searches(port: u16) -> usize {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.expect("the server is there");
    stream.write_all(b"GET /_tasks?actions=*search* HTTP/1.0\r\n\r\n").await.expect("it listens");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("it answers");
    answer.matches(RUNNING).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_is_cancelled_at_the_server() {
    let (Some(elasticsearch), Some(opensearch)) = (elasticsearch(), opensearch()) else { return };
    for port in [elasticsearch, opensearch] {
        let index = "deadline-search";
        let caller = Caller::plain(port).within(Duration::from_secs(60));
        caller.call(&format!("g.clustersearch.deleteIndex('cluster', '{index}')")).await;
        let mapping = "{ settings: { number_of_shards: 1 }, mappings: { properties: { text: { type: 'keyword' } } } }";
        caller.call(&format!("g.clustersearch.createIndex('cluster', '{index}', {mapping})")).await;
        let store = format!(
            "g.clustersearch.bulk('cluster', '{index}', Array.from({{ length: 20000 }}, (_, n) => ({{ text: `${{n}}-`.repeat(30) }})), 5000, {{ refresh: true }})"
        );
        assert_eq!(caller.call(&store).await.value()["successful"], 20000);
        let slow = slow_search(index);
        let caller = Caller::plain(port).within(TIME);
        let watch = tokio::spawn(async move {
            let (start, mut most) = (Instant::now(), 0);
            while start.elapsed() < TIME {
                most = most.max(searches(port).await);
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            most
        });
        let (given, time) = caller.timed(&slow).await;
        assert_eq!(given, Given::Time, "the search must outlast the run");
        assert!(time < TIME + FIXED + SLACK, "{time:?}");
        assert!(watch.await.expect("it watches") > 0, "the search ran at the server");
        let ended = Instant::now();
        while searches(port).await > 0 {
            assert!(ended.elapsed() < GONE + SLACK, "the search is still running");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        eprintln!("the search was gone {:?} after the run", ended.elapsed());
        assert_eq!(caller.call("g.clustersearch.ping('cluster')").await.value(), &json!(true));
    }
}
