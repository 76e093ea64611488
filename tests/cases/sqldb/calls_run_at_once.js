// flags: --timeout 60s
// All twenty wait for a lock, which is free only when the server sees all of them.
export async function main() {
  const call = () =>
    g.sqldb.scalar("db", "select 1 from (select pg_advisory_xact_lock_shared(2020)) locked");
  const waiting = `select count(*)::int from pg_locks
    where locktype = 'advisory' and objid = 2020 and not granted`;
  let calls;
  await g.sqldb.transaction("db", async (transaction) => {
    await transaction.query("select pg_advisory_xact_lock(2020)");
    calls = Array.from({ length: 20 }, call);
    while ((await transaction.scalar(waiting)) < 20);
  });
  assert.deepEqual(await Promise.all(calls), Array.from({ length: 20 }, () => 1));
}
