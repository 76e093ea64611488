export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_commit");
  await g.sqldb.execute("db", "create table case_commit (id int)");
  const result = await g.sqldb.transaction("db", async (transaction) => {
    assert.deepEqual(await transaction.execute("insert into case_commit values ($1), (2)", [1]), {
      rowsAffected: 2,
    });
    assert.deepEqual(await transaction.query("select id from case_commit order by id"), [
      { id: 1 },
      { id: 2 },
    ]);
    assert.deepEqual(await transaction.queryOne("select id from case_commit order by id"), {
      id: 1,
    });
    assert.equal(
      await g.sqldb.scalar("db", "select count(*)::int from case_commit"),
      0,
      "others do not see it yet",
    );
    return { sum: await transaction.scalar("select sum(id)::int from case_commit") };
  });
  assert.deepEqual(result, { sum: 3 });
  assert.equal(await g.sqldb.scalar("db", "select count(*)::int from case_commit"), 2);
}
