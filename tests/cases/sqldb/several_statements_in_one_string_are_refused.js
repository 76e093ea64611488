export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_several");
  for (const method of ["query", "queryOne", "execute", "scalar"]) {
    await assert.rejects(g.sqldb[method]("db", "create table case_several (); select 1"), {
      code: "QUERY_SYNTAX",
      method,
      message: /^only one statement is allowed in a string/,
    });
  }
  assert.equal(await g.sqldb.scalar("db", "select to_regclass('case_several')"), null);
  assert.equal(await g.sqldb.scalar("db", "select ';' -- ;\n;"), ";");
}
