export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_copy_lock");
  await g.sqldb.execute("db", "create table case_copy_lock (id int, t text)");
  await g.sqldb.transaction("db", async (transaction) => {
    // The server answers no copy as long as this is held.
    await transaction.execute("lock table case_copy_lock");
    await assert.rejects(
      g.sqldb.copyFrom("db", "case_copy_lock", [
        [1, "a"],
        [2, undefined],
      ]),
      { name: "TypeError", message: /^rows\[1\]\[1\] must be/ },
    );
  });
  const thrown = new Error("mine");
  const rows = Array.from({ length: 30000 }, (_, i) => [i, "x".repeat(50)]);
  Object.defineProperty(rows[29000], 0, {
    get() {
      throw thrown;
    },
  });
  const caught = await g.sqldb.copyFrom("db", "case_copy_lock", rows).catch((error) => error);
  assert.equal(caught, thrown);
  assert.equal(await g.sqldb.scalar("db", "select count(*)::int from case_copy_lock"), 0);
}
