export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_batch");
  await g.sqldb.execute("db", "create table case_batch (id int primary key)");
  const done = await g.sqldb.executeBatch("db", [
    { sql: "insert into case_batch values ($1), ($2)", params: [1, 2] },
    { sql: "delete from case_batch where id = 1" },
    { sql: "update case_batch set id = id + $1", params: [10] },
  ]);
  assert.deepEqual(done, {
    results: [{ rowsAffected: 2 }, { rowsAffected: 1 }, { rowsAffected: 1 }],
  });
  assert.deepEqual(await g.sqldb.executeBatch("db", []), { results: [] });
}
