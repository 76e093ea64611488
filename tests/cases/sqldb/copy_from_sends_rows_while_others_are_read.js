export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_copy_parts");
  await g.sqldb.execute("db", "create table case_copy_parts (id int, t text)");
  // Far more than one part, and rows longer than a part.
  const rows = Array.from({ length: 50000 }, (_, i) => [
    i,
    i % 5000 === 0 ? "é".repeat(100000) : `row ${i}`,
  ]);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const [copied, other] = await Promise.all([
    g.sqldb.copyFrom("db", "case_copy_parts", rows),
    g.sqldb.scalar("db", "select 1"),
  ]);
  clearInterval(timer);
  assert.deepEqual(copied, { rowsCopied: 50000 });
  assert.equal(other, 1);
  assert.ok(ticks > 0);
  const sql =
    "select count(*)::int as rows, sum(id)::text as ids, sum(length(t))::int as characters " +
    "from case_copy_parts";
  const characters = rows.reduce((sum, [, text]) => sum + text.length, 0);
  assert.deepEqual(await g.sqldb.queryOne("db", sql), {
    rows: 50000,
    ids: "1249975000",
    characters,
  });
}
