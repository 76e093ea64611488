export async function main() {
  let read = 0;
  const rows = Array.from({ length: 20000 }, () =>
    Object.defineProperty([0, "x".repeat(100)], 0, { get: () => ++read }),
  );
  await assert.rejects(g.sqldb.copyFrom("db", "case_no_such_table", rows), { code: "NOT_FOUND" });
  assert.ok(read < 10000, `${read} rows were read`);
  await assert.rejects(g.sqldb.copyFrom("no-such-secret", "t", rows), { code: "SECRET_NOT_FOUND" });
  assert.ok(read < 10000, `${read} rows were read`);
}
