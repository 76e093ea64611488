export async function main() {
  const row = await g.sqldb.queryOne(
    "db",
    `select '{"a": [1, null, {"b": "ü"}]}'::jsonb as b, '[1 , 2]'::json as j, 'null'::jsonb as n`,
  );
  assert.deepEqual(row, { b: { a: [1, null, { b: "ü" }] }, j: [1, 2], n: null });
}
