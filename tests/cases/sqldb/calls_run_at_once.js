export async function main() {
  await Promise.all(Array.from({ length: 20 }, () => g.sqldb.query("db", "select 1")));
  const start = performance.now();
  await Promise.all(Array.from({ length: 20 }, () => g.sqldb.query("db", "select pg_sleep(0.5)")));
  assert.ok(
    performance.now() - start < 5000,
    `20 sleeps of 500 ms took ${performance.now() - start} ms`,
  );
}
