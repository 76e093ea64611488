//! Connections as the server sees them: their number is bounded, idle ones are closed, and none causes a warning in its log.

use std::time::{Duration, Instant};

use ghost::{Host, Limits, Origin, RunOptions, Script, Timeouts, secrets::Secrets};
use ghost_tests::{
    folder::Folder,
    servers::postgres::{self, Own},
};
use serde_json::{Value, json};
use tokio::time::sleep;

/// A host whose secrets connect to the same server, which sees the name of the secret as the application name.
struct Client {
    host: Host,
    connection: String,
    timeouts: Timeouts,
}

impl Client {
    fn new(own: &Own) -> Self {
        let timeouts = Timeouts { idle: Duration::from_secs(60), ..Timeouts::default() };
        Self { host: Host::new().expect("a host"), connection: own.connection("sslmode=disable"), timeouts }
    }

    async fn run(&self, source: &str, argument: Value) -> Value {
        let script = Script::from_source(&self.host, "script.js", source).await.expect("it compiles");
        let connection = self.connection.clone();
        let secret = move |name: &str| Ok(Some(format!("{connection} application_name={name}").into()));
        let options = RunOptions {
            arguments: vec![argument.to_string()],
            secrets: Some(Secrets::new(secret)),
            limits: Limits { timeouts: self.timeouts, ..Limits::of(Origin::Local) },
            ..RunOptions::default()
        };
        let reported = self.host.run(&script, options).await.result.expect("it ends").expect("it gives something");
        serde_json::from_str(&reported).expect("it is JSON")
    }

    /// How many connections the server has that are called so.
    async fn count(&self, name: &str) -> u64 {
        let source = "export const main = (name) => g.sqldb.scalar('counter',
            'select count(*)::int from pg_stat_activity where application_name = $1', [name]);";
        self.run(source, json!(name)).await.as_u64().expect("a number")
    }
}

fn client() -> Option<Client> {
    Some(Client::new(postgres::own_or_skip()?))
}

/// Runs a program with secrets that connect to the same server, each with its own application name; returns its result.
fn with_secrets(source: &str, secrets: &[(String, String)]) -> Option<Value> {
    let own = postgres::own_or_skip()?;
    let connection = own.connection("sslmode=disable");
    let folder = Folder::new();
    let run = folder.script([], source);
    let run = secrets.iter().fold(run, |run, (name, options)| {
        run.env(&format!("GHOST_SECRET_{name}"), &format!("{connection} application_name={name} {options}"))
    });
    Some(serde_json::from_str(&run.finish().exits(0).stdout).expect("it is JSON"))
}

#[test]
fn a_hundred_secrets_in_turns_connect_once_each() {
    let source = "export const main = async () => {
        const processes = new Set();
        for (let call = 0; call < 500; call++) processes.add(await g.sqldb.scalar(`turn_${call % 100}`, 'select pg_backend_pid()'));
        return processes.size;
    };";
    let secrets: Vec<_> = (0..100).map(|at| (format!("TURN_{at}"), String::new())).collect();
    let Some(connections) = with_secrets(source, &secrets) else { return };
    // A call may come while the connection of the one before is still being reset.
    assert!(connections.as_u64().is_some_and(|count| (100..=110).contains(&count)), "{connections} for 100 secrets");
}

#[test]
fn the_bound_of_a_secret_holds_whatever_other_secrets_do() {
    let source = "export const main = async () => {
        const calls = () => Array.from({ length: 60 }, () => g.sqldb.query('bound', 'select pg_sleep(1)'));
        const count = () => g.sqldb.scalar('counter', `select count(*)::int from pg_stat_activity where application_name = 'BOUND'`);
        const first = calls();
        while (await count() < 50);
        for (let at = 0; at < 150; at++) await g.sqldb.scalar(`other_${at}`, 'select 1').catch(() => {});
        const all = Promise.all([...first, ...calls()]).then(() => { done = true; });
        let most = 0, done = false;
        while (!done) most = Math.max(most, await count());
        await all;
        return most;
    };";
    let mut secrets = vec![("BOUND".to_owned(), String::new()), ("COUNTER".to_owned(), String::new())];
    // No server listens there: only their pools count.
    secrets.extend((0..150).map(|at| (format!("OTHER_{at}"), "port=1".to_owned())));
    let Some(most) = with_secrets(source, &secrets) else { return };
    assert_eq!(most, 50, "connections at the server");
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_are_closed() {
    let Some(mut client) = client() else { return };
    client.timeouts.idle = Duration::from_millis(800);
    let many = "export const main = async () => {
        await Promise.all(Array.from({ length: 20 }, () => g.sqldb.query('idle', 'select pg_sleep(0.1)')));
        return true;
    };";
    client.run(many, Value::Null).await;
    assert!(client.count("idle").await > 0, "they are kept for the next call");
    let start = Instant::now();
    while client.count("idle").await > 0 {
        assert!(start.elapsed() < Duration::from_secs(30), "they are still there after {:?}", start.elapsed());
        sleep(Duration::from_millis(50)).await;
    }
    client.run(many, Value::Null).await;
}

#[test]
fn the_server_logs_no_warning() {
    let Some(own) = postgres::own_or_skip() else { return };
    let database = own.database("quiet");
    let source = "export const main = async () => {
        await g.sqldb.execute('db', 'create temp table quiet (id int)');
        for (let call = 0; call < 20; call++) {
            await g.sqldb.query('db', 'select $1::int as n', [call]);
            await g.sqldb.execute('db', 'set application_name = $$quiet$$');
            await g.sqldb.transaction('db', (transaction) => transaction.scalar('select 1'));
            await g.sqldb.transaction('db', () => { throw 'undone'; }).catch(() => {});
            await g.sqldb.executeBatch('db', [{ sql: 'select 1' }, { sql: 'select 2' }]);
            await g.sqldb.executeBatch('db', [{ sql: 'select 1' }, { sql: 'select 1 / 0' }]).catch(() => {});
            await g.sqldb.query('db', 'select 1 / 0').catch(() => {});
            await g.sqldb.copyTo('db', 'select 1');
        }
    };";
    let connection = format!("{database} sslmode=disable application_name=quiet");
    Folder::new().script([], source).env("GHOST_SECRET_DB", &connection).finish().exits(0);
    let log = own.log("quiet");
    let of_them = |entry: &&String| ["WARNING:", "could not", "unexpected"].iter().any(|noise| entry.contains(noise));
    let noise: Vec<_> = log.iter().filter(of_them).collect();
    assert!(log.iter().any(|entry| entry.contains("select 1 / 0")), "the log is that of the calls");
    assert!(noise.is_empty(), "{} lines, the first are {:#?}", noise.len(), &noise[..noise.len().min(3)]);
}

#[test]
fn a_root_file_that_is_a_fifo_or_a_device_is_an_error_at_once() {
    let folder = Folder::new();
    let fifo = folder.path().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo runs").success());
    let source = "export const main = () => g.sqldb.query('db', 'select 1').catch((error) => `${error.code}: ${error.message}`);";
    for path in [fifo.display().to_string().as_str(), "/dev/zero", "/dev/stdin", "/", "/proc/self/fd/0"] {
        let connection = format!("host=localhost user=u sslmode=verify-full sslrootcert={path}");
        let finished =
            folder.script(["--timeout", "20s"], source).env("GHOST_SECRET_DB", &connection).finish().exits(0);
        let expected = "SECRET_INVALID: the file that sslrootcert names is not a regular file";
        assert!(finished.stdout.contains(expected), "{path}: {finished}");
        assert!(finished.time < Duration::from_secs(10), "{path}: {:?}", finished.time);
    }
}

#[tokio::test]
async fn a_host_may_forbid_paths_in_secrets() {
    let host = Host::new().expect("a host");
    let source = "export const main = (name) => g.sqldb.query(name, 'select 1').catch((error) => `${error.code}: ${error.message}`);";
    let script = Script::from_source(&host, "script.js", source).await.expect("it compiles");
    let secret = |name: &str| {
        let text = match name {
            "file" => "host=localhost user=u sslmode=verify-full sslrootcert=/none",
            "socket" => "host=/none user=u",
            _ => "host=127.0.0.1 port=1 user=u",
        };
        Ok(Some(text.to_owned().into()))
    };
    let reported = async |secrets: Secrets, name: &str| {
        let options =
            RunOptions { arguments: vec![json!(name).to_string()], secrets: Some(secrets), ..RunOptions::default() };
        host.run(&script, options).await.result.expect("it ends").expect("it gives something")
    };
    let (free, strict) = (Secrets::new(secret), Secrets::new(secret).without_paths());
    // One after the other on the same pools: what one run may, the other may not.
    for _ in 0..2 {
        assert!(reported(free.clone(), "file").await.contains("can't be read"));
        assert!(reported(free.clone(), "socket").await.contains("UNAVAILABLE"));
        for (name, option) in [("file", "sslrootcert"), ("socket", "host")] {
            let expected = format!(
                "\"SECRET_INVALID: file paths are not allowed here, but {option} of the connection string contains one\""
            );
            assert_eq!(reported(strict.clone(), name).await, expected);
        }
        assert!(reported(strict.clone(), "tcp").await.contains("UNAVAILABLE"));
    }
}
