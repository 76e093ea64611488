// flags: --timeout 3s
// exit: 3
export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_ends");
  await g.sqldb.execute("db", "create table case_ends (id int)");
  await g.sqldb.transaction("db", async (transaction) => {
    await transaction.execute("insert into case_ends values (1)");
    await transaction.query("select pg_sleep(60)");
  });
}
