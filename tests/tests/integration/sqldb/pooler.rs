//! Six programs at once behind PgBouncer, which shares the connections to the server among them: none sees the statements or
//! values of another.

use anyhow::Result;
use ghost_tests::{
    folder::Folder,
    servers::{self, Server, postgres},
};
use serde_json::json;

const PROGRAMS: usize = 6;
const CALLS: usize = 10_000;

/// Types and a table for all programs. Created without the pooler, since DDL is not tested here.
const SETUP: &str = "export async function main() {
  for (const sql of [
    'drop table if exists pooler_rows', 'drop type if exists pooler_pair', 'drop type if exists pooler_mood',
    `create type pooler_mood as enum ('sad', 'ok', 'happy')`, 'create type pooler_pair as (number int, name text)',
    'create table pooler_rows (id bigint generated always as identity, program int, call int, name text, unique (program, call))',
  ]) await g.sqldb.execute('db', sql);
}";

/// Calls of every kind, each with its expected result. Returns the number of calls, and which were wrong or failed.
const SCRIPT: &str = r#"
const moods = ["sad", "ok", "happy"];
const table = "pooler_rows";

// Statements that all programs share, statements that only one program uses, and some that differ only in their parameters.
const kinds = [
  async (id) => [await g.sqldb.scalar("db", "select $1::int + 1", [id]), id + 1],
  async (id) => [await g.sqldb.scalar("db", "select $1::text", [`text ${id}`]), `text ${id}`],
  async (id) => [await g.sqldb.query("db", `select ${id} as id, 'own ${id}' as name`), [{ id, name: `own ${id}` }]],
  async (id) => [await g.sqldb.query("db", `select $1::int as a, ${id % 50} as b, $2::text as c`, [id, "x"]), [{ a: id, b: id % 50, c: "x" }]],
  async (id) => [await g.sqldb.query("db", "select n::int, n * 2 as twice from generate_series($1::int, $1::int + 2) n", [id]),
    [0, 1, 2].map((at) => ({ n: id + at, twice: (id + at) * 2 }))],
  async (id) => [await g.sqldb.queryOne("db", "select $1::int[] as numbers, $2::text[] as texts", [[id, null, 3], ["a", `${id}`]]),
    { numbers: [id, null, 3], texts: ["a", `${id}`] }],
  async (id) => [await g.sqldb.queryOne("db", "select $1::pooler_mood as mood, array[$1::pooler_mood, 'sad'] as all", [moods[id % 3]]),
    { mood: moods[id % 3], all: [moods[id % 3], "sad"] }],
  async (id) => [await g.sqldb.queryOne("db", "select row($1::int, $2::text)::pooler_pair as pair, '10.0.0.1'::inet as address", [id, "n"]),
    { pair: `(${id},n)`, address: "10.0.0.1" }],
  async (id, program) => {
    const { rowsAffected } = await g.sqldb.execute("db", `insert into ${table} (program, call, name) values ($1, $2, $3)`, [program, id, `row ${id}`]);
    const name = await g.sqldb.scalar("db", `select name from ${table} where program = $1 and call = $2`, [program, id]);
    return [[rowsAffected, name], [1, `row ${id}`]];
  },
  async (id, program) => [await g.sqldb.transaction("db", async (transaction) => {
    await transaction.execute(`insert into ${table} (program, call) values ($1, $2)`, [program, id]);
    await transaction.execute(`update ${table} set name = $3 where program = $1 and call = $2`, [program, id, "in"]);
    return [await transaction.scalar(`select name from ${table} where program = $1 and call = $2`, [program, id]), await transaction.scalar("select $1::int", [id])];
  }), ["in", id]],
  async (id, program) => {
    const undone = await g.sqldb.transaction("db", async (transaction) => {
      await transaction.execute(`insert into ${table} (program, call) values ($1, $2)`, [program, -id - 1]);
      throw "undone";
    }).catch((error) => error);
    return [[undone, await g.sqldb.queryOne("db", `select 1 as found from ${table} where program = $1 and call = $2`, [program, -id - 1])], ["undone", null]];
  },
  async (id, program) => {
    const { results } = await g.sqldb.executeBatch("db", [
      { sql: `insert into ${table} (program, call) values ($1, $2)`, params: [program, id] },
      { sql: `delete from ${table} where program = $1 and call = $2`, params: [program, id] },
    ]);
    return [results.map((one) => one.rowsAffected), [1, 1]];
  },
  async (id) => [await g.sqldb.scalar("db", "select 1 / $1::int", [0]).catch((error) => error.details?.sqlstate), "22012"],
  async (id) => [await g.sqldb.query("db", `select * from pooler_none_${id}`).catch((error) => error.code), "NOT_FOUND"],
  async (id) => [await g.sqldb.query("db", "select $1::int", [`no number ${id}`]).catch((error) => error.details?.sqlstate), "22P02"],
  async (id) => [await g.sqldb.query("db", "selec 1").catch((error) => error.code), "QUERY_SYNTAX"],
  async (id, program) => {
    const { rowsCopied } = await g.sqldb.copyFrom("db", table, [[program, id, "a\tb"], [program, -1 - id, null]], { columns: ["program", "call", "name"] });
    const rows = await g.sqldb.copyTo("db", `select call, name from ${table} where program = ${program} and call in (${id}, ${-1 - id}) order by call desc`);
    return [[rowsCopied, rows], [2, [[`${id}`, "a\tb"], [`${-1 - id}`, null]]]];
  },
];

export async function main({ program, calls }) {
  const wrong = [], failed = [];
  let next = 0;
  const worker = async () => {
    while (next < calls) {
      const call = next++;
      const kind = (call * 7 + program) % kinds.length;
      try {
        const [given, right] = await kinds[kind](program * 1000000 + call, program);
        if (JSON.stringify(given) !== JSON.stringify(right)) wrong.push([kind, given, right]);
      } catch (error) {
        failed.push([kind, `${error.code}: ${error.message}`]);
      }
    }
  };
  await Promise.all(Array.from({ length: 5 }, worker));
  return { calls: next, wrong: wrong.length, failed: failed.length, first: [...wrong.slice(0, 3), ...failed.slice(0, 3)] };
}
"#;

/// Runs the programs, and returns the number of calls and which of them were wrong or failed.
fn all_programs(connection: &str) -> (u64, Vec<serde_json::Value>) {
    let folders: Vec<_> = (0..PROGRAMS).map(|_| Folder::new()).collect();
    let start = |(program, folder): (usize, &Folder)| {
        let input = json!({ "program": program, "calls": CALLS.div_ceil(PROGRAMS) }).to_string();
        folder.script(["--input", "-"], SCRIPT).stdin(input).env("GHOST_SECRET_DB", connection).start()
    };
    let running: Vec<_> = folders.iter().enumerate().map(start).collect();
    let (mut calls, mut problems) = (0, Vec::new());
    for program in running {
        let finished = program.finish().exits(0);
        let reported: serde_json::Value = serde_json::from_str(&finished.stdout).expect("it is JSON");
        calls += reported["calls"].as_u64().expect("a number");
        if reported["wrong"] != 0 || reported["failed"] != 0 {
            problems.push(reported);
        }
    }
    (calls, problems)
}

fn behind(mode: &str) -> Result<()> {
    let Some(own) = postgres::own_or_skip() else { return Ok(()) };
    let started = Server::start("pgbouncer", &[mode, &own.port.to_string(), &own.password]);
    let Some(pooler) = servers::or_skip(started) else { return Ok(()) };
    Folder::new().script([], SETUP).env("GHOST_SECRET_DB", &own.connection("sslmode=disable")).finish().exits(0);
    let port = pooler.port()?;
    let connection =
        format!("host=127.0.0.1 port={port} user=ghost password={} dbname=postgres sslmode=disable", own.password);
    let (calls, problems) = all_programs(&connection);
    println!("{calls} calls behind PgBouncer {} in {mode} mode", pooler.value::<String>("version")?);
    assert!(calls >= CALLS as u64);
    assert!(problems.is_empty(), "{}", json!(problems));
    Ok(())
}

/// One after the other: both make the same table.
#[test]
fn no_call_behind_a_pooler_is_wrong_or_fails() -> Result<()> {
    behind("session")?;
    behind("transaction")
}
