// flags: --timeout 2s
// exit: 3
// stderr: ran for longer than its limit of 2s
export async function main() {
  await g.sqldb.query("db", "select pg_sleep(60)");
}
