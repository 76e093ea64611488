export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_rollback");
  await g.sqldb.execute("db", "create table case_rollback (id int)");
  const thrown = new Error("mine");
  const error = await g.sqldb
    .transaction("db", async (transaction) => {
      await transaction.execute("insert into case_rollback values (1)");
      throw thrown;
    })
    .catch((error) => error);
  assert.equal(error, thrown);
  assert.equal(
    await g.sqldb
      .transaction("db", () => {
        throw 7;
      })
      .catch((error) => error),
    7,
  );
  await assert.rejects(
    g.sqldb.transaction("db", (transaction) =>
      transaction.execute("insert into case_no_such_table values (1)"),
    ),
    { code: "NOT_FOUND" },
  );
  assert.equal(await g.sqldb.scalar("db", "select count(*)::int from case_rollback"), 0);
}
