export async function main() {
  const error = await g.sqldb.query("db", "select 1 as a order by 5").catch((error) => error);
  assert.deepEqual([error.code, error.details.sqlstate], ["BACKEND", "42P10"]);
}
