export async function main() {
  assert.equal(
    await g.sqldb.scalar("db", "select i, 'other' from generate_series(7, 9) i order by i"),
    7,
  );
  assert.equal(await g.sqldb.scalar("db", "select 1 where false"), null);
  assert.equal(await g.sqldb.scalar("db", "select null"), null);
  assert.equal(await g.sqldb.scalar("db", "do $$ begin end $$"), null);
}
