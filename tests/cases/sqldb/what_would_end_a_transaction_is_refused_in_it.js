export async function main() {
  await g.sqldb.transaction("db", async (transaction) => {
    for (const sql of ["commit", "ROLLBACK", "-- x\nbegin", "end", "abort", "start transaction"]) {
      await assert.rejects(transaction.execute(sql), {
        code: "QUERY_SYNTAX",
        message: /is not allowed in a callback of g\.sqldb/,
      });
    }
    assert.equal(await transaction.scalar("select 1"), 1);
  });
}
