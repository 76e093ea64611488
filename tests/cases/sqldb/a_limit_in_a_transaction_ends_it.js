export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_limit");
  await g.sqldb.execute("db", "create table case_limit (id int)");
  const refused = { code: "BACKEND", message: /^nothing was committed/ };
  const error = await g.sqldb
    .transaction("db", async (transaction) => {
      await transaction.execute("insert into case_limit values (1)");
      await assert.rejects(
        transaction.query("select repeat('x', 1000000) from generate_series(1, 100)"),
        { code: "LIMIT" },
      );
      await assert.rejects(transaction.execute("insert into case_limit values (2)"), refused);
      return "done";
    })
    .catch((error) => error);
  assert.deepEqual(
    [error.code, error.method, error.details.sqlstate],
    ["BACKEND", "transaction", "25P02"],
  );
  assert.match(error.message, refused.message);
  assert.equal(await g.sqldb.scalar("db", "select count(*)::int from case_limit"), 0);
  // The callback's own error goes on.
  const own = await g.sqldb
    .transaction("db", (transaction) =>
      transaction.query("select repeat('x', 1000000) from generate_series(1, 100)"),
    )
    .catch((error) => error);
  assert.equal(own.code, "LIMIT");
}
