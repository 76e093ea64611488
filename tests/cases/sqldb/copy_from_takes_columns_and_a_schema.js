export async function main() {
  await g.sqldb.execute("db", 'drop schema if exists "case Copy" cascade');
  await g.sqldb.execute("db", 'create schema "case Copy"');
  await g.sqldb.execute(
    "db",
    'create table "case Copy"."a ""table""" ("First" int, second text default \'d\')',
  );
  const options = { schema: "case Copy", columns: ["First"] };
  assert.deepEqual(await g.sqldb.copyFrom("db", 'a "table"', [[1], [2]], options), {
    rowsCopied: 2,
  });
  assert.deepEqual(await g.sqldb.copyTo("db", 'a "table"', { schema: "case Copy" }), [
    ["1", "d"],
    ["2", "d"],
  ]);
  await assert.rejects(
    g.sqldb.copyFrom("db", 'a "table"', [[1]], { schema: "case Copy", columns: ["first"] }),
    { code: "NOT_FOUND" },
  );
  await assert.rejects(g.sqldb.copyFrom("db", 'a "table"', [[1]]), {
    code: "NOT_FOUND",
    message: 'there is no table or view "a \\"table\\"" in the schema "public"',
  });
}
