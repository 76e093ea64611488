export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_copy_broken");
  await g.sqldb.execute("db", "create table case_copy_broken (id int, t text)");
  await g.sqldb.execute(
    "db",
    "create or replace function case_copy_wait() returns trigger language plpgsql as 'begin " +
      "perform pg_sleep(0.01); return new; end'",
  );
  await g.sqldb.execute(
    "db",
    "create trigger wait before insert on case_copy_broken for each row execute function " +
      "case_copy_wait()",
  );
  const text = "x".repeat(10000);
  const rows = Array.from({ length: 10000 }, (_, i) => [i, text]);
  const copy = g.sqldb.copyFrom("db", "case_copy_broken", rows).then(assert.fail, (error) => error);
  const end =
    "select count(pg_terminate_backend(pid))::int from pg_stat_activity where query like " +
    '\'COPY "public"."case_copy_broken"%\'';
  while ((await g.sqldb.scalar("db", end)) === 0);
  const error = await copy;
  assert.equal(error.code, "UNAVAILABLE", String(error));
  // It had not told the server that all was there.
  assert.equal(error.details?.unknownOutcome, undefined);
  assert.equal(await g.sqldb.scalar("db", "select count(*)::int from case_copy_broken"), 0);
}
