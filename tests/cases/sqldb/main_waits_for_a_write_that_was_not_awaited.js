// stderr: g.sqldb.execute
export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_not_awaited");
  g.sqldb.execute("db", "create table case_not_awaited as select 1 as one from pg_sleep(0.3)");
}
