export async function main() {
  const long = "n".repeat(64);
  const calls = [
    () => g.sqldb.describeTable("db", long),
    () => g.sqldb.listIndexes("db", "t", long),
    () => g.sqldb.listTables("db", long),
    () => g.sqldb.copyFrom("db", long, []),
  ];
  for (const call of calls)
    await assert.rejects(call, {
      name: "RangeError",
      code: "INVALID_ARGUMENT",
      message: /is 64 bytes, the limit is 63$/,
    });
  await assert.rejects(g.sqldb.describeTable("db", ""), { message: "table is empty" });
  await assert.rejects(g.sqldb.describeTable("db", "a\0b"), { message: "table contains a NUL" });
}
