export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_conflict");
  await g.sqldb.execute(
    "db",
    "create table case_conflict (id int constraint case_conflict_key primary key)",
  );
  await g.sqldb.execute("db", "insert into case_conflict values (1)");
  const error = await g.sqldb
    .execute("db", "insert into case_conflict values (1)")
    .catch((error) => error);
  assert.equal(error.code, "CONFLICT");
  assert.equal(error.message, 'duplicate key value violates unique constraint "case_conflict_key"');
  assert.deepEqual(
    [error.details.sqlstate, error.details.schema, error.details.table, error.details.constraint],
    ["23505", "public", "case_conflict", "case_conflict_key"],
  );
  await assert.rejects(g.sqldb.execute("db", "create table case_conflict ()"), {
    code: "CONFLICT",
  });
}
