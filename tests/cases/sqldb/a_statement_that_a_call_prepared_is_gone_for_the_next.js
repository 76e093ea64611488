export async function main() {
  for (let round = 0; round < 3; round++) {
    await g.sqldb.execute("db", "prepare case_prepared as select 1");
    await g.sqldb.transaction("db", async (transaction) => {
      await transaction.execute("Prepare case_prepared_too as select 2 as two");
      assert.deepEqual(await transaction.query("execute case_prepared_too"), [{ two: 2 }]);
    });
    const left = await Promise.all(
      Array.from({ length: 10 }, () =>
        g.sqldb.scalar("db", "select count(*)::int from pg_prepared_statements, pg_sleep(0.01)"),
      ),
    );
    assert.deepEqual(left, new Array(10).fill(0));
  }
}
