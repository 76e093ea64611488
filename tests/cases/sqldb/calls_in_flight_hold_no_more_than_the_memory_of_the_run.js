export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_copy_much");
  await g.sqldb.execute("db", "create table case_copy_much (t text)");
  const text = "x".repeat(20_000_000);
  const ends = await g.sqldb.transaction("db", async (transaction) => {
    await transaction.execute("lock table case_copy_much");
    const calls = [];
    for (let i = 0; i < 30; i++) {
      calls.push(
        g.sqldb
          .execute("db", "insert into case_copy_much values ($1)", [text])
          .catch((error) => error),
      );
      // The host takes the arguments of one before the next are made: they need room in the
      // script's own memory.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const first = await Promise.race(calls);
    return { first, calls };
  });
  assert.equal(ends.first.code, "LIMIT");
  // Which limit comes first depends on how much of its memory the script has used by then.
  const { message } = ends.first;
  assert.match(message, /^the (run has no memory left|arguments of all calls in flight)/);
  assert.match(message, /; give less at a time$/);
  const stored = (await Promise.all(ends.calls)).filter((end) => end.rowsAffected === 1).length;
  assert.equal(await g.sqldb.scalar("db", "select count(*)::int from case_copy_much"), stored);
  assert.ok(stored > 5 && stored < 14, String(stored));
  await g.sqldb.execute("db", "drop table case_copy_much");
}
