export async function main() {
  await assert.rejects(
    g.sqldb.query("db", "select repeat('x', 1000000) from generate_series(1, 100)"),
    { code: "LIMIT", message: /the limit is 67108864; ask for less at a time$/ },
  );
  await assert.rejects(
    g.sqldb.copyTo("db", "select repeat('x', 1000000) from generate_series(1, 100)"),
    { code: "LIMIT" },
  );
  assert.equal(await g.sqldb.scalar("db", "select 1"), 1);
  assert.equal(
    (await g.sqldb.queryOne("db", "select repeat('x', 1000000) as x from generate_series(1, 100)"))
      .x.length,
    1000000,
  );
}
