export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_copy_kinds");
  await g.sqldb.execute(
    "db",
    "create table case_copy_kinds (n numeric, f float8, t text, j jsonb, at timestamptz, b " +
      "bytea, list int[])",
  );
  const at = new Date("2026-01-02T03:04:05.678Z");
  await g.sqldb.copyFrom("db", "case_copy_kinds", [
    [
      12345678901234567890n,
      -0,
      "\u0001a\\\r\n\t\\.",
      { a: "\t\n\\" },
      at,
      new Uint8Array([0, 92, 255]),
      [1, null],
    ],
    [NaN, Infinity, "\\N", NaN, null, new Uint8Array(0), []],
    [1e21, 5e-324, true, [1n, at], "2026-01-02", null, "{3,4}"],
    [0.1, 1e300, { a: 1 }, "[]", at, null, null],
  ]);
  const stored = await g.sqldb.query(
    "db",
    "select n::text, f, t, j, at, encode(b, 'hex') as b, list from case_copy_kinds",
  );
  const iso = at.toISOString();
  assert.deepEqual(stored, [
    {
      n: "12345678901234567890",
      f: -0,
      t: "\u0001a\\\r\n\t\\.",
      j: { a: "\t\n\\" },
      at: iso,
      b: "005cff",
      list: [1, null],
    },
    { n: "NaN", f: Infinity, t: "\\N", j: null, at: null, b: "", list: [] },
    {
      n: "1000000000000000000000",
      f: 5e-324,
      t: "true",
      j: [1, iso],
      at: "2026-01-02T00:00:00.000Z",
      b: null,
      list: [3, 4],
    },
    { n: "0.1", f: 1e300, t: '{"a":1}', j: [], at: iso, b: null, list: null },
  ]);
}
