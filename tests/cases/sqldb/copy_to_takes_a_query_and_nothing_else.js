export async function main() {
  await assert.rejects(g.sqldb.copyTo("db", "case_no_such_table"), { code: "NOT_FOUND" });
  for (const query of [
    "delete from pg_class",
    "drop table x",
    "copy x to program 'true'",
    "",
    "a b",
  ]) {
    await assert.rejects(g.sqldb.copyTo("db", query), {
      code: "INVALID_ARGUMENT",
      message: "query must be the name of a table or view, or a SELECT, WITH, VALUES or TABLE",
    });
  }
  await assert.rejects(g.sqldb.copyTo("db", "select 1) to program 'true' --"), {
    code: "QUERY_SYNTAX",
  });
  await assert.rejects(g.sqldb.copyTo("db", "select 1; select 2"), { code: "QUERY_SYNTAX" });
  await assert.rejects(g.sqldb.copyTo("db", "select $1::int"), { code: "INVALID_ARGUMENT" });
  await assert.rejects(g.sqldb.query("db", "copy pg_class to stdout"), {
    code: "INVALID_ARGUMENT",
    message: /copyFrom or copyTo/,
  });
}
