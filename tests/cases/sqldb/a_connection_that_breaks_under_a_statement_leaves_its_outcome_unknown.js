export async function main() {
  await g.sqldb.execute(
    "db",
    "create or replace function case_breaks() returns int language plpgsql as 'begin perform " +
      "pg_terminate_backend(pg_backend_pid()); perform pg_sleep(5); return 1; end'",
  );
  for (const sql of [
    "select case_breaks()",
    "values (case_breaks())",
    "explain analyze select case_breaks()",
    "table pg_class limit case_breaks()",
    "with a as (select case_breaks()) select * from a",
    "do $$ begin perform case_breaks(); end $$",
  ]) {
    const error = await g.sqldb.query("db", sql).catch((error) => error);
    assert.deepEqual(
      [error.code, error.details.unknownOutcome, error.details.sqlstate],
      ["UNAVAILABLE", true, "57P01"],
      sql,
    );
  }
  const copied = await g.sqldb.copyTo("db", "select case_breaks()").catch((error) => error);
  assert.deepEqual([copied.code, copied.details.unknownOutcome], ["UNAVAILABLE", true]);
  // What was begun is undone with the connection.
  const error = await g.sqldb
    .transaction("db", (transaction) => transaction.query("select case_breaks()"))
    .catch((error) => error);
  assert.deepEqual([error.code, error.details.unknownOutcome], ["UNAVAILABLE", undefined]);
}
