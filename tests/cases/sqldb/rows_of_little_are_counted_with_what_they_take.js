export async function main() {
  // 3,000,000 rows of a byte are 6 MB on the wire, and 300 MB as rows.
  await assert.rejects(g.sqldb.copyTo("db", "select 1 from generate_series(1, 3000000)"), {
    code: "LIMIT",
    message: /ask for less at a time$/,
  });
  // One value, which is there as it came and as JSON.
  await assert.rejects(g.sqldb.scalar("db", "select repeat('x', 200000000)"), { code: "LIMIT" });
  const many = await Promise.allSettled(
    Array.from({ length: 10 }, () =>
      g.sqldb
        .query("db", "select repeat('x', 10000) from generate_series(1, 4000)")
        .then(({ length }) => length),
    ),
  );
  assert.ok(many.every(({ status, reason }) => status === "fulfilled" || reason.code === "LIMIT"));
  assert.ok((await twoAtOnce()).includes("LIMIT"));
  assert.equal(
    (await g.sqldb.query("db", "select repeat('x', 10000) as x from generate_series(1, 4000)"))
      .length,
    4000,
  );
  assert.equal(
    (await g.sqldb.copyTo("db", "select 1 from generate_series(1, 100000)")).length,
    100000,
  );
}

// What becomes of two statements with 40 MB each. The first one has given its rows and waits for a
// lock, so that neither can end
// before both have come to the bound of 64 MiB.
async function twoAtOnce() {
  const rows = "select repeat('x', 10000) from generate_series(1, 4000)";
  const outcome = (sql) =>
    g.sqldb.query("db", sql).then(
      ({ length }) => length,
      (error) => error.code,
    );
  let first;
  const second = await g.sqldb.transaction("db", async (t) => {
    await t.execute("select pg_advisory_xact_lock(1406)");
    first = outcome(`${rows} union all select pg_advisory_lock(1406)::text`);
    while (
      !(await t.scalar(
        "select exists (select from pg_locks where locktype = 'advisory' and objid = 1406 " +
          "and not granted)",
      ))
    )
      continue;
    return outcome(rows);
  });
  return [await first, second];
}
