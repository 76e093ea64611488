export async function main() {
  await g.sqldb.execute("db", "drop schema if exists case_tables cascade");
  for (const sql of [
    "create schema case_tables",
    "create table case_tables.b (id int)",
    "insert into case_tables.b select generate_series(1, 100)",
    "create view case_tables.a as select 1 as one",
    "create materialized view case_tables.c as select 1 as one",
    "create table case_tables.p (id int) partition by range (id)",
    "analyze case_tables.b",
  ]) {
    await g.sqldb.execute("db", sql);
  }
  const expected = [
    { name: "a", schema: "case_tables", type: "view", estimatedRows: 0 },
    { name: "b", schema: "case_tables", type: "table", estimatedRows: 100 },
    { name: "c", schema: "case_tables", type: "view", estimatedRows: 0 },
    { name: "p", schema: "case_tables", type: "table", estimatedRows: 0 },
  ];
  assert.deepEqual(await g.sqldb.listTables("db", "case_tables"), expected);
  const all = await g.sqldb.listTables("db");
  assert.deepEqual(
    all.filter((table) => table.schema === "case_tables"),
    expected,
  );
  assert.ok(!all.some((table) => table.schema === "pg_catalog"));
  assert.deepEqual(await g.sqldb.listTables("db", "case_no_such_schema"), []);
}
