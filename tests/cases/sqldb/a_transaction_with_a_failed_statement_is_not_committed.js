export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_failed");
  await g.sqldb.execute("db", "create table case_failed (id int)");
  const failed = g.sqldb.transaction("db", async (transaction) => {
    await transaction.execute("insert into case_failed values (1)");
    await transaction.query("select 1 / 0").catch(() => {});
    return "done";
  });
  const error = await failed.catch((error) => error);
  assert.deepEqual(
    [error.code, error.method, error.details.sqlstate],
    ["BACKEND", "transaction", "25P02"],
  );
  assert.equal(error.message, "nothing was committed: a statement in the transaction has failed");
  assert.equal(await g.sqldb.scalar("db", "select count(*)::int from case_failed"), 0);
}
