//! Nothing of a connection string is ever seen: not when it is wrong, not when the server refuses it, not when a statement fails.

use ghost_tests::{
    canary,
    folder::{Finished, Folder},
    servers::{
        postgres::{self, Own},
        proxy::{Fault, Proxy},
    },
};

/// Part of every field.
const CANARY: &str = "canary";

/// Everything that a script, a terminal and a log can see of a failure.
const SCRIPT: &str = "export async function main(statements) {
  for (const sql of statements) {
    try {
      await g.sqldb.query('db', sql);
      console.log('no failure');
    } catch (error) {
      console.error(error, String(error), error.stack, JSON.stringify(error), JSON.stringify(error.details), Object.getOwnPropertyNames(error));
      console.log(error.code, error.message);
    }
  }
  await g.sqldb.query('db', statements[0]);
}";

#[track_caller]
pub fn shows_nothing(finished: &Finished, connection: &str) {
    canary::shows_none(finished, &[CANARY], connection);
}

/// Runs statements with a connection string; each must fail, and nothing be seen.
#[track_caller]
fn fails(connection: &str, statements: &[&str]) -> Finished {
    let folder = Folder::new();
    let run = folder.script(["--verbose", "--timeout", "20s", "--input", "-"], SCRIPT);
    let finished =
        run.stdin(serde_json::json!(statements).to_string()).env("GHOST_SECRET_DB", connection).finish().exits(1);
    assert!(!finished.stderr.contains("no failure"), "{connection}\n{finished}");
    shows_nothing(&finished, connection);
    let checked = folder.ghost(["secret", "check", "db"]).env("GHOST_SECRET_DB", connection).finish();
    canary::check_shows_none(checked, &[CANARY], connection);
    finished
}

/// Strings that are none, or lead nowhere.
fn unusable(own: &Own, closed: u16) -> Vec<String> {
    let Own { port, authority, .. } = own;
    let place = format!("hostaddr=127.0.0.1 host=canaryhost port={port}");
    let login = "user=canaryuser password=canarypass dbname=canarydb application_name=canaryapp";
    let mut all = vec![
        "canary".to_owned(),
        "canary=1".into(),
        "host=canary".into(),
        "postgres://".into(),
        "postgres://canary".into(),
        "postgres:///canary".into(),
        "postgres://canary:canary".into(),
        "postgres://canary%zz@h/d".into(),
        "postgres://u:canary%@h/d".into(),
        "postgres://u:%ffcanary@h/d".into(),
        "postgres://u:ca?nary=canary@h/d".into(),
        "postgres://u:pa?canary@h".into(),
        "postgres://u:canary/canary@h/d".into(),
        "postgres://u:canary#canary@h:canary/d".into(),
        "postgres://u:p@h:canary/d".into(),
        "postgres://[canary/d".into(),
        "postgres://[::1]canary/d".into(),
        "host=h user='canary".into(),
        "host=h user=u canary".into(),
        "postgres://u:p@canary-host.invalid/d".into(),
        "postgres://canary:canary@canary.invalid/canary?application_name=canary".into(),
        format!("host=/canary/canary port={port} {login}"),
        format!("host=127.0.0.1 port={closed} {login}"),
        format!("host=127.0.0.1,localhost port={closed},{closed} {login}"),
        format!("{place} {login}"),
        format!("{place} {login} sslmode=require"),
        format!("{place} {login} sslmode=disable"),
        format!("{place} {login} sslmode=verify-full"),
        format!("{place} {login} sslmode=verify-ca"),
        format!("{place} {login} sslmode=verify-full sslrootcert={}", authority.display()),
        format!("{place} {login} sslmode=verify-full sslrootcert=/canary/canary.crt"),
        format!("{place} {login} sslmode=verify-full sslrootcert=/etc/passwd"),
        format!("{place} {login} options='-c canary=canary'"),
        format!("{place} {login} port={port},{closed}"),
        format!("{place} {login} host=canary,canary"),
        format!("{place} {login} target_session_attrs=read-only"),
        format!("{place} {login} channel_binding=require sslmode=disable"),
        format!("{place} {login} sslnegotiation=direct sslmode=require"),
        format!("postgres://canaryuser:canarypass@localhost:{port}/canarydb?options=-c%20canary%3Dcanary"),
    ];
    for option in [
        "port",
        "sslmode",
        "hostaddr",
        "connect_timeout",
        "keepalives",
        "target_session_attrs",
        "channel_binding",
        "load_balance_hosts",
        "client_encoding",
        "sslnegotiation",
        "tcp_user_timeout",
        "passfile",
        "keepalives_idle",
        "keepalives_count",
        "sslcert",
        "sslcrl",
        "sslkey",
        "sslpassword",
        "krbsrvname",
        "gssencmode",
        "require_auth",
        "requirepeer",
        "service",
        "replication",
        "canary",
    ] {
        all.push(format!("{login} host=localhost {option}=canary"));
    }
    all
}

#[test]
fn errors_of_unusable_connection_strings_show_no_part_of_them() {
    let Some(own) = postgres::own_or_skip() else { return };
    let closed =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
    let all = unusable(own, closed);
    assert!(all.len() >= 60, "{}", all.len());
    for connection in all {
        fails(&connection, &["select 1"]);
    }
}

#[test]
fn network_errors_show_no_part_of_the_connection_string() {
    let Some(own) = postgres::own_or_skip() else { return };
    let proxy = Proxy::before(own.port);
    for fault in [
        Fault::Refuse,
        Fault::Garbage,
        Fault::ResetAt(0),
        Fault::ResetAt(1),
        Fault::ResetAt(20),
        Fault::HalfCloseAt(1),
        Fault::HalfCloseAt(20),
    ] {
        for mode in ["disable", "require"] {
            proxy.set(fault);
            let login = "user=canaryuser password=canarypass dbname=canarydb application_name=canaryapp";
            let connection = format!("host=canaryhost hostaddr=127.0.0.1 port={} {login} sslmode={mode}", proxy.port);
            fails(&connection, &["select 1"]).says("[UNAVAILABLE]");
        }
    }
}

#[test]
fn network_errors_after_the_login_show_no_part_of_the_connection_string() {
    let Some(own) = postgres::own_or_skip() else { return };
    let setup = "export async function main() {
      await g.sqldb.execute('db', \"create role canaryfaults login password 'canarypass'\");
      await g.sqldb.execute('db', 'create database canaryfaults');
    }";
    let connection = own.connection("sslmode=disable");
    Folder::new().script([], setup).env("GHOST_SECRET_DB", &connection).finish().exits(0);
    let proxy = Proxy::before(own.port);
    let login = "user=canaryfaults password=canarypass dbname=canaryfaults application_name=canaryapp";
    let connection = |mode| format!("host=localhost hostaddr=127.0.0.1 port={} {login} sslmode={mode}", proxy.port);
    // A login takes fewer bytes, and the answer has more.
    let answer = "select repeat('x', 1000000)";
    for mode in ["disable", "require"] {
        for fault in [Fault::ResetAt(50_000), Fault::HalfCloseAt(50_000)] {
            proxy.set(Fault::None);
            let folder = Folder::new();
            let whole = folder.script([], "export const main = () => g.sqldb.scalar('db', 'select 1');");
            whole.env("GHOST_SECRET_DB", &connection(mode)).finish().exits(0).prints("1\n");
            proxy.set(fault);
            fails(&connection(mode), &[answer]).says("[UNAVAILABLE]").says("the connection to the server broke");
        }
    }
}

#[test]
fn server_errors_show_no_part_of_the_connection_string() {
    let Some(own) = postgres::own_or_skip() else { return };
    let folder = Folder::new();
    let setup = "export async function main() {
      await g.sqldb.execute('db', \"create role canaryrole login password 'canarypass'\");
      await g.sqldb.execute('db', 'create database canarybase');
    }";
    folder.script([], setup).env("GHOST_SECRET_DB", &own.connection("sslmode=verify-full")).finish().exits(0);
    let login = "user=canaryrole password=canarypass dbname=canarybase application_name=canaryapp options='-c search_path=canarypath'";
    let statements = [
        "create schema a",
        "create database a",
        "create table a ()",
        "select * from pg_authid",
        "set role pg_read_server_files",
        "set session authorization ghost",
        "alter system set work_mem = '1MB'",
        "select pg_read_file('/etc/passwd')",
        "create extension plpython3u",
        "select 1 / 0",
        "selec",
        "select * from missing",
        "do $$ begin raise exception '%', current_user || ' ' || current_database(); end $$",
        "do $$ begin raise exception '%', current_setting('search_path'); end $$",
        "select current_database()::int",
        "select current_user::int",
        "select pg_terminate_backend(pg_backend_pid())",
        "drop owned by current_user; select 1",
        "reassign owned by current_user to ghost",
        "alter role current_user superuser",
        "alter user current_user createdb",
        "create role a",
        "vacuum full pg_authid; select 1",
        "lock pg_authid",
        "copy pg_class to program 'true'",
        "listen",
        "grant pg_read_all_data to current_user",
    ];
    let connection = format!("host=localhost hostaddr=127.0.0.1 port={} {login}", own.port);
    fails(&connection, &statements);
}

#[test]
fn check_says_who_answered_and_where() {
    let Some(own) = postgres::own_or_skip() else { return };
    let check = |connection: &str| {
        let folder = Folder::new();
        folder.ghost(["secret", "check", "db"]).env("GHOST_SECRET_DB", connection).finish()
    };
    let address = format!("g.sqldb at 127.0.0.1:{}: ", own.port);
    let login = format!("host=127.0.0.1 port={} user=ghost dbname=postgres", own.port);
    let connected = check(&format!("{login} password={} sslmode=disable", own.password)).exits(0);
    assert!(connected.stdout.starts_with(&format!("{address}connected to PostgreSQL ")), "{connected}");
    check(&format!("{login} password=wrong sslmode=disable")).exits(1).says(&address);
}
