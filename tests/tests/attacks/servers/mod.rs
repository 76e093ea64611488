//! Servers that lie to `g.sqldb`. Every call ends with an error of a known code or an answer, in the run's time and memory.

mod conversation;
mod values;

use std::time::Duration;

use anyhow::{Result, ensure};
use ghost_tests::folder::Folder;

use crate::{
    attack::{Attack, CANARY, Contract, Seen, is_hostile},
    liar::{Liar, Lie},
};

/// Calls every method once, in turn, and returns the codes of the errors.
const SCRIPT: &str = "export async function main() {
  const codes = new Set();
  const calls = [
    () => g.sqldb.query('db', 'select 1 as a'), () => g.sqldb.queryOne('db', 'select 1 as a'), () => g.sqldb.scalar('db', 'select $1::int', [1]), () => g.sqldb.execute('db', 'update t set a = 1'),
    () => g.sqldb.executeBatch('db', [{ sql: 'select 1' }, { sql: 'select 2' }]), () => g.sqldb.copyTo('db', 'select 1'), () => g.sqldb.copyFrom('db', 't', [[1], [2]]),
    () => g.sqldb.transaction('db', (t) => t.query('select 1')), () => g.sqldb.listTables('db'), () => g.sqldb.describeTable('db', 't'), () => g.sqldb.listDatabases('db'),
  ];
  for (const call of calls) {
    try { await call(); codes.add('answered'); } catch (error) {
      if (!(error instanceof GError) && !(error instanceof TypeError) && !(error instanceof RangeError)) throw error;
      codes.add(error.code);
      console.error(error, JSON.stringify(error.details), error.stack);
    }
  }
  return [...codes];
}";

const KNOWN: [&str; 14] = [
    "answered",
    "UNAVAILABLE",
    "BACKEND",
    "TIMEOUT",
    "LIMIT",
    "DATA",
    "ACCESS_DENIED",
    "NOT_FOUND",
    "CONFLICT",
    "QUERY_SYNTAX",
    "SECRET_INVALID",
    "INVALID_ARGUMENT",
    "BUSY",
    "SECRET_NOT_FOUND",
];

fn lies(name: &'static str, lie: Lie) -> Attack {
    lies_with(name, "sslmode=disable", lie)
}

fn lies_with(name: &'static str, more: &'static str, lie: Lie) -> Attack {
    Attack::new("servers", name, move || meet(more, lie))
}

fn meet(more: &str, lie: Lie) -> Result<Seen> {
    let server = Liar::start(lie)?;
    let connection = format!("host=127.0.0.1 port={} user=u password={CANARY} dbname=d {more}", server.port);
    let folder = Folder::new();
    let run = folder.script(["--timeout", "3s", "--max-memory", "64M"], SCRIPT);
    let finished = run.env("GHOST_SECRET_DB", &connection).finish();
    // Cleaning up takes at most another second.
    let contract = Contract::exits(&[0, 3]).within(Duration::from_secs(4)).with_memory(64 << 20);
    let seen = contract.check(&finished)?;
    ensure!(server.told() > 0, "the server never lied\n{finished}");
    if finished.status.code() == Some(0) {
        let codes: Vec<String> = serde_json::from_str(&finished.stdout)?;
        ensure!(codes.iter().all(|code| KNOWN.contains(&code.as_str())), "{codes:?}\n{finished}");
    }
    Ok(seen)
}

/// The same, with the server's messages on a terminal. A pipe gets a script's console unchanged.
fn on_a_terminal(name: &'static str, lie: Lie) -> Attack {
    Attack::new("servers", name, move || {
        let port = Liar::start(lie)?.port;
        let folder = Folder::new();
        folder.write("script.js", SCRIPT);
        let run = folder.on_a_terminal("-onlcr", "run --timeout 3s --max-memory 64M script.js");
        let connection = format!("host=127.0.0.1 port={port} user=u password={CANARY} dbname=d sslmode=disable");
        let finished = run.env("GHOST_SECRET_DB", &connection).finish();
        let seen = Contract::exits(&[0, 3]).within(Duration::from_secs(4)).check(&finished)?;
        let shown = &finished.stdout;
        let raw = shown.chars().find(|character| is_hostile(*character));
        ensure!(raw.is_none(), "{raw:?} was written raw\n{shown:?}");
        ensure!(!shown.lines().any(|line| line.starts_with("error:")), "a line looks like ghost's\n{shown:?}");
        ensure!(shown.contains("forged"), "what the server said was not shown\n{shown:?}");
        Ok(seen)
    })
}

pub fn all() -> Vec<Attack> {
    [conversation::login(), conversation::messages(), conversation::errors(), values::values()]
        .into_iter()
        .flatten()
        .collect()
}
