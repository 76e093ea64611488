export async function main() {
  const calls = [
    () => g.sqldb.query(1, "select 1"),
    () => g.sqldb.query("db", 1),
    () => g.sqldb.query("db"),
    () => g.sqldb.execute("db", null),
    () => g.sqldb.transaction("db"),
    () => g.sqldb.transaction("db", "select 1"),
    () => g.sqldb.executeBatch("db", "x"),
    () => g.sqldb.copyFrom("db", "t", [], { x: 1 }),
    () => g.sqldb.listSchemas("db", { includeSystem: "yes" }),
    () => g.sqldb.copyFrom("db", "t", "rows"),
    () => g.sqldb.describeTable("db"),
  ];
  for (const call of calls) {
    const promise = call();
    assert.ok(promise instanceof Promise);
    await assert.rejects(promise, {
      name: "TypeError",
      code: "INVALID_ARGUMENT",
      namespace: "sqldb",
    });
  }
}
