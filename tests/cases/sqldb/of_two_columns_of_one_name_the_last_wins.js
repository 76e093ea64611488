export async function main() {
  assert.deepEqual(await g.sqldb.query("db", "select 1 as a, 2 as b, 3 as a"), [{ a: 3, b: 2 }]);
  assert.deepEqual(await g.sqldb.query("db", "select '\\x00'::bytea as a, 'text' as a"), [
    { a: "text" },
  ]);
}
