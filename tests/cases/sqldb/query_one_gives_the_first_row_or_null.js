export async function main() {
  assert.deepEqual(
    await g.sqldb.queryOne("db", "select i as id from generate_series(1, 3) i order by i desc"),
    { id: 3 },
  );
  assert.equal(await g.sqldb.queryOne("db", "select 1 where false"), null);
}
