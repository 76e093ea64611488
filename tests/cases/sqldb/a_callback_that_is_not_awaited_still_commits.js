export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_forgotten");
  await g.sqldb.execute("db", "create table case_forgotten (id int)");
  await g.sqldb.transaction("db", (transaction) => {
    transaction.execute("insert into case_forgotten values (1)");
  });
  assert.equal(await g.sqldb.scalar("db", "select count(*)::int from case_forgotten"), 1);
}
