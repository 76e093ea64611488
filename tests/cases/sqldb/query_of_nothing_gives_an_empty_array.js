export async function main() {
  assert.deepEqual(await g.sqldb.query("db", "select 1 where false"), []);
  assert.deepEqual(await g.sqldb.query("db", "do $$ begin end $$"), []);
}
