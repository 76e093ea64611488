export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_copy_to cascade");
  await g.sqldb.execute("db", "create table case_copy_to (id int, t text)");
  await g.sqldb.execute(
    "db",
    "create view case_copy_to_view as select t from case_copy_to order by id desc",
  );
  await g.sqldb.copyFrom("db", "case_copy_to", [
    [1, "a\tb\n\\N"],
    [2, null],
    [3, ""],
  ]);
  assert.deepEqual(await g.sqldb.copyTo("db", "case_copy_to"), [
    ["1", "a\tb\n\\N"],
    ["2", null],
    ["3", ""],
  ]);
  assert.deepEqual(await g.sqldb.copyTo("db", "case_copy_to_view"), [[""], [null], ["a\tb\n\\N"]]);
  assert.deepEqual(
    await g.sqldb.copyTo("db", "select id from case_copy_to where id > 1 order by id -- end\n;"),
    [["2"], ["3"]],
  );
  assert.deepEqual(await g.sqldb.copyTo("db", "with a as (values (1)) select * from a"), [["1"]]);
  assert.deepEqual(await g.sqldb.copyTo("db", "values (1, true)"), [["1", "t"]]);
  assert.deepEqual(await g.sqldb.copyTo("db", "table case_copy_to limit 1"), [["1", "a\tb\n\\N"]]);
  assert.deepEqual(await g.sqldb.copyTo("db", "select 1 where false"), []);
}
