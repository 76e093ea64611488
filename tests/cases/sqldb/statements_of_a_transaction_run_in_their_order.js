export async function main() {
  const seen = await g.sqldb.transaction("db", (transaction) =>
    Promise.all([
      transaction.scalar("select 1 from pg_sleep(0.2)"),
      transaction.scalar("select 2"),
      transaction.scalar("select 3"),
    ]),
  );
  assert.deepEqual(seen, [1, 2, 3]);
}
