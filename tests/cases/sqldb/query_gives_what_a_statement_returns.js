export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_returning");
  await g.sqldb.execute("db", "create table case_returning (id serial, address inet)");
  const rows = await g.sqldb.query(
    "db",
    "insert into case_returning (address) values ($1), (null) returning *",
    ["10.0.0.1"],
  );
  assert.deepEqual(rows, [
    { id: 1, address: "10.0.0.1" },
    { id: 2, address: null },
  ]);
}
