export async function main() {
  const row = await g.sqldb.queryOne(
    "db",
    "select $1::jsonb as o, $2::jsonb as a, $3::jsonb as t, $4::jsonb as n, $5::jsonb as s, " +
      "$6::text as x",
    [
      { a: [1, { b: new Date(0) }], u: undefined },
      [1, "x", null, [2n]],
      '{"a":1}',
      12,
      '"text"',
      { b: 1 },
    ],
  );
  assert.deepEqual(row, {
    o: { a: [1, { b: "1970-01-01T00:00:00.000Z" }] },
    a: [1, "x", null, [2]],
    t: { a: 1 },
    n: 12,
    s: "text",
    x: '{"b":1}',
  });
  await assert.rejects(g.sqldb.query("db", "select $1::jsonb", ["no json"]), {
    code: "BACKEND",
    message: /invalid input syntax for type json/,
  });
}
