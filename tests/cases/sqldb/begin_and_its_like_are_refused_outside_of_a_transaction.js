export async function main() {
  for (const sql of [
    "begin",
    "START TRANSACTION",
    "-- why\ncommit;",
    "rollback",
    "end",
    "abort",
    "prepare transaction 'a'",
  ]) {
    await assert.rejects(g.sqldb.execute("db", sql), {
      code: "QUERY_SYNTAX",
      message:
        /allowed outside of g\.sqldb\.transaction, where each call is a transaction of its own$/,
    });
  }
  await assert.rejects(g.sqldb.query("db", "begin"), { code: "QUERY_SYNTAX" });
  await g.sqldb.execute("db", "set transaction read only");
}
