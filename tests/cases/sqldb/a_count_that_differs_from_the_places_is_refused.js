export async function main() {
  await assert.rejects(g.sqldb.query("db", "select $1::int + $2::int", [1]), {
    name: "RangeError",
    code: "INVALID_ARGUMENT",
    method: "query",
    message: "params has 1 value, the statement has 2 parameters",
  });
  await assert.rejects(g.sqldb.execute("db", "select 1", [1]), {
    message: "params has 1 value, the statement has 0 parameters",
  });
  await assert.rejects(g.sqldb.scalar("db", "select $1::int"), {
    message: "params has 0 values, the statement has 1 parameter",
  });
}
