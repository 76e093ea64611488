export async function main() {
  const row = await g.sqldb.queryOne(
    "db",
    'select 1 as "__proto__", 2 as "constructor", 3 as "a ""b"" \\ c", 4 as "é"',
  );
  assert.deepEqual(Object.keys(row), ["__proto__", "constructor", 'a "b" \\ c', "é"]);
  assert.equal(Object.getPrototypeOf(row), Object.prototype);
}
