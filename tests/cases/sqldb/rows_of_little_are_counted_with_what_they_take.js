export async function main() {
  // 3,000,000 rows of a byte are 6 MB on the wire, and 300 MB as rows.
  await assert.rejects(g.sqldb.copyTo("db", "select 1 from generate_series(1, 3000000)"), { code: "LIMIT", message: /ask for less at a time$/ });
  // One value, which is there as it came and as JSON.
  await assert.rejects(g.sqldb.scalar("db", "select repeat('x', 200000000)"), { code: "LIMIT" });
  const many = await Promise.allSettled(Array.from({ length: 10 }, () => g.sqldb.query("db", "select repeat('x', 10000) from generate_series(1, 4000)").then(({ length }) => length)));
  assert.ok(many.every(({ status, reason }) => status === "fulfilled" || reason.code === "LIMIT"));
  assert.equal((await g.sqldb.query("db", "select repeat('x', 10000) as x from generate_series(1, 4000)")).length, 4000);
  assert.equal((await g.sqldb.copyTo("db", "select 1 from generate_series(1, 100000)")).length, 100000);
}
