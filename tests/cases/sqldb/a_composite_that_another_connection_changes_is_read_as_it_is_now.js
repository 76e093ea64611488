export async function main() {
  await g.sqldb.execute("db", "drop type if exists case_composite cascade");
  await g.sqldb.execute("db", "create type case_composite as (a int, b int)");
  await g.sqldb.execute("db", "drop table if exists case_composites");
  await g.sqldb.execute(
    "db",
    "create table case_composites (pair case_composite, pairs case_composite[])",
  );
  await g.sqldb.execute("db", "insert into case_composites values ('(1,2)', '{\"(3,4)\"}')");
  // Many at once, so that each has a connection of its own.
  const all = () =>
    Promise.all(
      Array.from({ length: 20 }, () =>
        g.sqldb.queryOne("db", "select *, pg_sleep(0.05)::text from case_composites"),
      ),
    );
  for (const row of await all())
    assert.deepEqual(row, { pair: "(1,2)", pairs: ["(3,4)"], pg_sleep: "" });
  await g.sqldb.execute("db", "alter table case_composites drop column pair, drop column pairs");
  await g.sqldb
    .execute("db", "alter type case_composite alter attribute b type date using '2000-01-01'::date")
    .catch(async () => {
      await g.sqldb.execute("db", "alter type case_composite drop attribute b");
      await g.sqldb.execute("db", "alter type case_composite add attribute b date");
    });
  await g.sqldb.execute(
    "db",
    "alter table case_composites add column pair case_composite, add column pairs case_composite[]",
  );
  await g.sqldb.execute(
    "db",
    "update case_composites set pair = '(1,2026-01-02)', pairs = '{\"(3,2026-01-03)\"}'",
  );
  for (const row of await all())
    assert.deepEqual(row, { pair: "(1,2026-01-02)", pairs: ["(3,2026-01-03)"], pg_sleep: "" });
}
