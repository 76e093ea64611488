export async function main() {
  const sql = (count) =>
    "select " + Array.from({ length: count }, (_, at) => `$${at + 1}::int`).join("+");
  for (const count of [65536, 70000]) {
    const values = new Array(count).fill(1);
    await assert.rejects(g.sqldb.scalar("db", "select 1", values), {
      code: "INVALID_ARGUMENT",
      message: `params has ${count} values, the limit is 65535`,
    });
    await assert.rejects(g.sqldb.executeBatch("db", [{ sql: "select 1", params: values }]), {
      code: "INVALID_ARGUMENT",
    });
  }
  const most =
    "select cardinality(array[" +
    Array.from({ length: 65535 }, (_, at) => `$${at + 1}::int`).join(",") +
    "])";
  assert.equal(await g.sqldb.scalar("db", most, new Array(65535).fill(1)), 65535);
  assert.equal(await g.sqldb.scalar("db", "select 2"), 2);
}
