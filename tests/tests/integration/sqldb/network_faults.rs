//! A server behind a faulty network: no call exceeds its time by more than a second, the next call works, and no state of a
//! cut call reaches another call.

use std::time::{Duration, Instant};

use ghost::{Failure, Host, RunOptions, Script, Timeouts};
use ghost_tests::servers::{
    postgres,
    proxy::{Fault, Proxy},
};

use crate::external;

const CALL: Duration = Duration::from_secs(3);
const SLACK: Duration = Duration::from_secs(1);
const CLEAN_UP: Duration = Duration::from_secs(1);

/// A host with a script that returns the outcome of a statement.
struct Caller {
    host: Host,
    script: Script,
    connection: String,
}

impl Caller {
    async fn new(connection: String) -> Self {
        let host = Host::new().expect("a host");
        let source = "export const main = async (sql) => {
            const start = performance.now();
            const reported = await g.sqldb.scalar('db', sql).catch((error) => `${error.code}: ${error.message}`);
            return [String(reported), Math.round(performance.now() - start)];
        };";
        let script = Script::from_source(&host, "call.js", source).await.expect("it compiles");
        Self { host, script, connection }
    }

    fn options(&self) -> RunOptions {
        external::options(&self.connection, CALL)
    }

    /// What a statement gives, and how long the call took. It has the run's time, and the run may clean up for a second more.
    async fn call(&self, sql: &str) -> (String, Duration) {
        let start = Instant::now();
        let arguments = vec![serde_json::json!(sql).to_string()];
        let outcome = self.host.run(&self.script, RunOptions { arguments, ..self.options() }).await;
        let elapsed = start.elapsed();
        assert!(elapsed < CALL + CLEAN_UP + SLACK, "the run took {elapsed:?}: {:?}", outcome.result);
        match outcome.result {
            Err(Failure::Time { .. }) => ("TIMEOUT".to_owned(), CALL),
            given => {
                let given = given.expect("it ends").expect("it gives something");
                let (reported, milliseconds): (String, u64) = serde_json::from_str(&given).expect("it is JSON");
                (reported, Duration::from_millis(milliseconds))
            }
        }
    }

    /// Runs another script, which must return true.
    async fn holds(&self, source: &str) {
        self.holds_with(source, self.options()).await;
    }

    async fn holds_with(&self, source: &str, options: RunOptions) {
        let script = Script::from_source(&self.host, "check.js", source).await.expect("it compiles");
        let outcome = self.host.run(&script, options).await;
        assert_eq!(outcome.result.expect("it ends").as_deref(), Some("true"));
    }
}

/// The faults, and whether the call may succeed because the fault comes late enough.
fn faults() -> Vec<(Fault, bool)> {
    let places = [0, 1, 5, 30, 100, 300, 400, 430, 450, 500, 600];
    let mut faults = vec![(Fault::Refuse, false), (Fault::Garbage, false)];
    for at in places {
        faults.extend([(Fault::ResetAt(at), at >= 300), (Fault::HalfCloseAt(at), at >= 300)]);
    }
    // Each of these takes all the time that a call has.
    faults.extend([0, 30, 400].map(|at| (Fault::StallAt(at), at >= 300)));
    faults
}

/// A proxy in front of a server of the tests' own, and connections through it in plain text and with TLS.
async fn through_proxy() -> Option<(Proxy, [Caller; 2])> {
    let own = postgres::own_or_skip()?;
    let proxy = Proxy::before(own.port);
    let through = |mode: &str| format!("{} port={}", own.connection(mode), proxy.port);
    let callers = [Caller::new(through("sslmode=disable")).await, Caller::new(through("sslmode=verify-full")).await];
    Some((proxy, callers))
}

#[tokio::test(flavor = "multi_thread")]
async fn no_fault_holds_a_call_for_longer_than_its_time_and_the_next_one_works() {
    let Some((proxy, callers)) = through_proxy().await else { return };
    for warm in &callers {
        for (fault, may_succeed) in faults() {
            // A connection that is made through it, as that of another host always is, and one that is in use.
            let cold = Caller::new(warm.connection.clone()).await;
            for caller in [&cold, warm] {
                if std::ptr::eq(caller, warm) {
                    proxy.set(Fault::None);
                    assert_eq!(caller.call("select 1").await.0, "1", "before {fault:?}");
                }
                proxy.set(fault);
                let (reported, time) = caller.call("select 1 as cut").await;
                assert!(time < CALL + SLACK, "{fault:?}: {time:?}");
                let failed = reported.starts_with("UNAVAILABLE") || reported.starts_with("TIMEOUT");
                assert!(failed || (may_succeed && reported == "1"), "{fault:?}: {reported}");
                proxy.set(Fault::None);
                let (next, time) = caller.call("select 2").await;
                assert_eq!(next, "2", "after {fault:?}");
                assert!(time < CALL + SLACK, "after {fault:?}: {time:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_network_is_slow_and_no_more() {
    let Some((proxy, callers)) = through_proxy().await else { return };
    proxy.set(Fault::Slow(Duration::from_millis(50)));
    for caller in &callers {
        let before = proxy.delays();
        assert_eq!(caller.call("select 1").await.0, "1");
        // The three answers of a login, and that to the statement.
        assert!(proxy.delays() >= before + 4, "nothing was slow");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_200_cut_calls_reaches_another() {
    let Some(server) = postgres::or_skip() else { return };
    let caller = Caller::new(server.database("cut_calls")).await;
    let left = "export const main = async () => {
        const alone = () => g.sqldb.query('db',
          `select set_config('application_name', 'left', false), pg_advisory_lock_shared(815), pg_sleep(20)`);
        const together = () => g.sqldb.transaction('db', async (transaction) => {
          await transaction.execute(`set application_name = 'left'`);
          await transaction.execute('create temp table left_behind ()');
          await transaction.query('select pg_sleep(20)');
        });
        await Promise.all(Array.from({ length: 50 }, (_, at) => at % 2 ? alone() : together()));
    };";
    let script = Script::from_source(&caller.host, "left.js", left).await.expect("it compiles");
    // As many at once as there are connections: each call is cut on another connection.
    for _ in 0..4 {
        let outcome = caller.host.run(&script, caller.options()).await;
        assert_eq!(outcome.result, Err(Failure::Time { limit: CALL }));
    }
    let clean = "export const main = async () => {
        const look = `select current_setting('application_name') = 'ghost' and to_regclass('pg_temp.left_behind') is null
          and pg_current_xact_id_if_assigned() is null and pg_sleep(0.02)::text = '' as clean`;
        const rows = await Promise.all(Array.from({ length: 100 }, () => g.sqldb.scalar('db', look)));
        const running = `select count(*)::int from pg_stat_activity where datname = current_database()
          and query like '%pg_sleep(20)%' and state = 'active' and pid <> pg_backend_pid()`;
        const open = `select count(*)::int from pg_stat_activity where datname = current_database()
          and state like 'idle in transaction%' and application_name in ('ghost', 'left')`;
        const lock = 'select pg_try_advisory_lock(815)';
        return rows.every(Boolean) && await g.sqldb.scalar('db', lock) && await g.sqldb.scalar('db', running) === 0 && await g.sqldb.scalar('db', open) === 0;
    };";
    caller.holds(clean).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_wait_for_a_connection_of_a_server_that_has_few() {
    let Some(server) = postgres::or_skip() else { return };
    let caller = Caller::new(server.connection.clone()).await;
    let role = "export const main = async () => {
        await g.sqldb.execute('db', 'drop role if exists case_few');
        await g.sqldb.execute('db', \"create role case_few login password 'few' connection limit 3\");
        return true;
    };";
    caller.holds(role).await;
    let few = Caller::new(format!("{} user=case_few password=few", server.connection)).await;
    let source = "export const main = async () => {
        const rows = await Promise.all(Array.from({ length: 60 }, () => g.sqldb.scalar('db', 'select pg_backend_pid() from pg_sleep(0.01)')));
        return rows.length === 60 && new Set(rows).size <= 3;
    };";
    few.holds(source).await;
}

/// The calls wait for a lock until one has arrived at the server on each connection but that of the transaction.
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_calls_share_fifty_connections() {
    let Some(server) = postgres::or_skip() else { return };
    let caller = Caller::new(server.connection.clone()).await;
    let source = "export const main = async () => {
        const call = () => g.sqldb.scalar('db', 'select pg_backend_pid() from pg_advisory_xact_lock_shared(5050)');
        const waiting = `select count(*)::int from pg_locks where locktype = 'advisory' and objid = 5050 and not granted`;
        let calls;
        await g.sqldb.transaction('db', async (transaction) => {
          await transaction.query('select pg_advisory_xact_lock(5050)');
          calls = Array.from({ length: 100 }, call);
          while (await transaction.scalar(waiting) < 49);
        });
        return [49, 50].includes(new Set(await Promise.all(calls)).size);
    };";
    let mut options = external::options(&caller.connection, Duration::from_secs(60));
    options.limits.timeouts = Timeouts::default();
    caller.holds_with(source, options).await;
}
