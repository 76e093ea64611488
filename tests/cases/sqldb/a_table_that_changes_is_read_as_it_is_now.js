export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_changes");
  await g.sqldb.execute("db", "create table case_changes (a int)");
  await g.sqldb.execute("db", "insert into case_changes values (1)");
  for (let round = 0; round < 5; round++)
    assert.deepEqual(await g.sqldb.query("db", "select * from case_changes"), [{ a: 1 }]);
  await g.sqldb.execute("db", "alter table case_changes add column b text default 'x'");
  for (let round = 0; round < 5; round++)
    assert.deepEqual(await g.sqldb.query("db", "select * from case_changes"), [{ a: 1, b: "x" }]);
  await g.sqldb.transaction("db", async (transaction) => {
    assert.deepEqual(await transaction.query("select * from case_changes"), [{ a: 1, b: "x" }]);
    await transaction.execute("alter table case_changes drop column b");
    assert.deepEqual(await transaction.query("select * from case_changes"), [{ a: 1 }]);
  });
}
