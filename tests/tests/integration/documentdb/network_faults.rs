//! A server behind a faulty network: no call exceeds its time by more than a second, the next call works, and a write whose
//! answer is lost has an unknown outcome.

use std::time::{Duration, Instant};

use ghost::Failure;
use ghost_tests::servers::{
    documentdb,
    proxy::{Fault, Proxy},
};
use serde_json::json;

use super::Caller;

const CALL: Duration = Duration::from_secs(4);
const SLACK: Duration = Duration::from_secs(3);
const CLEAN_UP: Duration = Duration::from_secs(1);

const SCRIPT: &str = "export const main = async (method) => {
  const place = ['docs', 'faults', 'calls'];
  const call = method === 'find' ? g.documentdb.find(...place, { _id: 1 }) : g.documentdb.insertOne(...place, { a: 1 });
  const reported = await call.then(() => 'done', (error) => `${error.code}: ${error.details?.unknownOutcome === true} ${error.message}`);
  return reported;
};";

impl Caller {
    async fn call(&self, method: &str) -> String {
        let start = Instant::now();
        let outcome = self.run(&json!(method), CALL).await;
        let elapsed = start.elapsed();
        assert!(elapsed < CALL + CLEAN_UP + SLACK, "the run took {elapsed:?}: {:?}", outcome.result);
        match outcome.result {
            Err(Failure::Time { .. }) => "TIMEOUT".to_owned(),
            given => serde_json::from_str(&given.expect("it ends").expect("it gives something")).expect("it is JSON"),
        }
    }
}

/// The faults, and whether the call may succeed because the fault comes late enough.
fn faults() -> Vec<(Fault, bool)> {
    let places = [0, 1, 5, 16, 30, 100, 300, 400, 500, 600, 700];
    let mut faults = vec![(Fault::Refuse, false), (Fault::Garbage, false)];
    for at in places {
        faults.extend([(Fault::ResetAt(at), at >= 100), (Fault::HalfCloseAt(at), at >= 100)]);
    }
    // Each of these takes all the time that a call has.
    faults.extend([(Fault::StallAt(0), false), (Fault::StallAt(400), true)]);
    faults
}

#[tokio::test(flavor = "multi_thread")]
async fn no_fault_holds_a_call_for_longer_than_its_time_and_the_next_one_works() {
    let Some(server) = documentdb::ferretdb_or_skip() else { return };
    let options = "&serverSelectionTimeoutMS=3000&heartbeatFrequencyMS=500";
    let tls = format!("&tls=true&tlsCAFile={}", server.authority.display());
    // Each pair on its own, at once: most of the time is waiting.
    let pairs = [(server.port, options.to_owned()), (server.tls, format!("{options}{tls}"))];
    let mut running = Vec::new();
    for (port, options) in pairs {
        for method in ["find", "insert"] {
            for warm in [false, true] {
                let proxy = Proxy::before(port);
                let caller = Caller::new(server.at(proxy.port, &options), SCRIPT).await;
                running.push(tokio::spawn(async move { all(&proxy, &caller, method, warm).await }));
            }
        }
    }
    let mut count = 0;
    for running in running {
        count += running.await.expect("no test fails");
    }
    assert!(count >= 200, "{count}");
}

/// Makes each fault, and returns how many there were.
async fn all(proxy: &Proxy, caller: &Caller, method: &str, warm: bool) -> usize {
    let faults = faults();
    for (fault, may_succeed) in &faults {
        if warm {
            proxy.set(Fault::None);
            assert_eq!(caller.call(method).await, "done", "before {fault:?}");
        }
        proxy.set(*fault);
        let reported = caller.call(method).await;
        let failed = reported.starts_with("UNAVAILABLE") || reported.starts_with("TIMEOUT");
        assert!(failed || ((*may_succeed || warm) && reported == "done"), "{fault:?}: {reported}");
        assert!(method != "find" || !reported.starts_with("UNAVAILABLE: true"), "a read changes nothing: {reported}");
        proxy.set(Fault::None);
        let next = caller.call(method).await;
        assert_eq!(next, "done", "after {fault:?}");
    }
    faults.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_network_is_slow_and_no_more() {
    let Some(server) = documentdb::ferretdb_or_skip() else { return };
    let proxy = Proxy::before(server.port);
    proxy.set(Fault::Slow(Duration::from_millis(50)));
    let caller = Caller::new(server.at(proxy.port, ""), SCRIPT).await;
    for method in ["find", "insert"] {
        let before = proxy.delays();
        assert_eq!(caller.call(method).await, "done");
        assert!(proxy.delays() > before, "nothing was slow");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn options_that_the_driver_lacks_are_honoured() {
    let Some(server) = documentdb::ferretdb_or_skip() else { return };
    let proxy = Proxy::before(server.port);
    let caller = Caller::new(server.at(proxy.port, "&socketTimeoutMS=300&retryReads=false"), SCRIPT).await;
    assert_eq!(caller.call("insert").await, "done");
    proxy.set(Fault::Slow(Duration::from_millis(700)));
    let start = Instant::now();
    assert_eq!(caller.call("find").await, "UNAVAILABLE: false the connection to the server broke");
    assert_eq!(caller.call("insert").await, "UNAVAILABLE: true the connection to the server broke");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    let proxy = Proxy::before(server.port);
    let script = "export const main = async () => {
      const find = () => g.documentdb.find('docs', 'faults', 'calls').then(() => 'done', (error) => `${error.code}: ${error.message}`);
      await find();
      return (await Promise.all([find(), find()])).sort();
    };";
    let few = Caller::new(server.at(proxy.port, "&maxPoolSize=1&waitQueueTimeoutMS=100"), script).await;
    proxy.set(Fault::Slow(Duration::from_millis(100)));
    let outcome = few.run(&json!(null), Duration::from_secs(10)).await;
    let expected = json!(["TIMEOUT: no connection was free within 100ms: 1 are in use", "done"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&outcome.result.unwrap().unwrap()).unwrap(), expected);
}
