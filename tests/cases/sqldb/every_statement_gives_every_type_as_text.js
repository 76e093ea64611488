export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_every");
  await g.sqldb.execute("db", "create table case_every (id int, address inet, addresses inet[])");
  const inserted = await g.sqldb.query(
    "db",
    `with new as (insert into case_every values (1, '10.0.0.1', '{10.0.0.2}') returning *)
    insert into case_every select id + 1, address, addresses from new returning *`,
  );
  assert.deepEqual(inserted, [{ id: 2, address: "10.0.0.1", addresses: ["10.0.0.2"] }]);
  await g.sqldb.execute(
    "db",
    "create or replace procedure case_gives(inout a inet, inout b point, inout n int) " +
      "language sql as 'select a + 1, b, n + 1'",
  );
  assert.deepEqual(await g.sqldb.query("db", "call case_gives('10.0.0.1', '(1,2)', 1)"), [
    { a: "10.0.0.2", b: "(1,2)", n: 2 },
  ]);
  await g.sqldb.transaction("db", async (transaction) => {
    await transaction.execute(
      "declare c cursor for select '10.0.0.1'::inet as address, int4range(1, 5) as range, 7 as n",
    );
    assert.deepEqual(await transaction.query("fetch all from c"), [
      { address: "10.0.0.1", range: "[1,5)", n: 7 },
    ]);
  });
}
