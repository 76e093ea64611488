export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_execute");
  assert.deepEqual(await g.sqldb.execute("db", "create table case_execute (id int)"), {
    rowsAffected: 0,
  });
  assert.deepEqual(
    await g.sqldb.execute("db", "insert into case_execute select generate_series(1, 5)"),
    { rowsAffected: 5 },
  );
  assert.deepEqual(
    await g.sqldb.execute("db", "update case_execute set id = 9 where id > $1", [3]),
    { rowsAffected: 2 },
  );
  assert.deepEqual(await g.sqldb.execute("db", "delete from case_execute where id = $1", [9]), {
    rowsAffected: 2,
  });
  assert.deepEqual(await g.sqldb.execute("db", "delete from case_execute where false"), {
    rowsAffected: 0,
  });
}
