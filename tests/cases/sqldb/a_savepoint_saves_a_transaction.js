export async function main() {
  const sum = await g.sqldb.transaction("db", async (transaction) => {
    await transaction.execute("savepoint here");
    await assert.rejects(transaction.query("select 1 / 0"), {
      code: "BACKEND",
      method: "sqlTransactionProxy.query",
    });
    await transaction.execute("rollback to here");
    return transaction.scalar("select 2");
  });
  assert.equal(sum, 2);
}
