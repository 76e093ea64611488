export async function main() {
  for (const sql of [
    "select * from case_no_such_table",
    "select nothing from pg_class",
    "select 1::case_no_such_type",
    "create table case_no_such_schema.t ()",
    "drop database case_no_such_database",
  ]) {
    await assert.rejects(g.sqldb.query("db", sql), {
      code: "NOT_FOUND",
      message: /does not exist/,
    });
  }
  const error = await g.sqldb
    .query("db", "select * from case_no_such_table")
    .catch((error) => error);
  assert.equal(error.details.sqlstate, "42P01");
  assert.equal(error.details.position, 14);
}
