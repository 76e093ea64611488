export async function main() {
  await assert.rejects(g.sqldb.query("db", "selec 1"), {
    name: "GError",
    code: "QUERY_SYNTAX",
    namespace: "sqldb",
    method: "query",
    message: /syntax error/,
  });
  const error = await g.sqldb.query("db", "select '😀', frm x y z").catch((error) => error);
  assert.equal(error.code, "QUERY_SYNTAX");
  assert.equal("select '😀', frm x y z".slice(error.details.position), "y z");
  assert.equal(error.details.sqlstate, "42601");
  for (const nothing of ["", " ; ", "-- only a comment"]) {
    await assert.rejects(g.sqldb.query("db", nothing), {
      code: "QUERY_SYNTAX",
      message: "there is no statement",
    });
  }
  await assert.rejects(g.sqldb.query("db", "select 1\0"), {
    code: "QUERY_SYNTAX",
    message: "the statement contains a NUL",
  });
}
