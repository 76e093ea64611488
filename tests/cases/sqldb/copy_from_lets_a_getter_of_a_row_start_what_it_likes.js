export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_copy_getter");
  await g.sqldb.execute("db", "create table case_copy_getter (id int)");
  const started = Promise.withResolvers();
  const row = Object.defineProperty([0], 0, {
    get() {
      const later = Promise.withResolvers();
      setTimeout(later.resolve, 1);
      started.resolve(Promise.all([later.promise, g.sqldb.scalar("db", "select 7")]));
      return g.store.count("none");
    },
  });
  const copied = await g.sqldb.transaction("db", async (transaction) => {
    await transaction.execute("lock table case_copy_getter");
    const copied = g.sqldb.copyFrom("db", "case_copy_getter", [row]);
    // It is served while the copy waits for the lock.
    assert.deepEqual(await started.promise, [undefined, 7]);
    return { copied };
  });
  assert.deepEqual(await copied.copied, { rowsCopied: 1 });
  assert.deepEqual(await g.sqldb.query("db", "select id from case_copy_getter"), [{ id: 0 }]);
}
