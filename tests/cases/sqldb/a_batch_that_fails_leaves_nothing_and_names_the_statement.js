export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_batch_fails");
  await g.sqldb.execute("db", "create table case_batch_fails (id int primary key)");
  const fails = async (statements, expected) => {
    const error = await g.sqldb.executeBatch("db", statements).catch((error) => error);
    assert.deepEqual([error.code, error.details?.statement], expected);
    assert.equal(await g.sqldb.scalar("db", "select count(*)::int from case_batch_fails"), 0);
  };
  const insert = { sql: "insert into case_batch_fails values (1)" };
  await fails([insert, insert], ["CONFLICT", 1]);
  await fails([insert, { sql: "selec" }], ["QUERY_SYNTAX", 1]);
  await fails([insert, { sql: "select 1; select 2" }], ["QUERY_SYNTAX", 1]);
  await fails([insert, { sql: "commit" }, { sql: "selec" }], ["QUERY_SYNTAX", 1]);
  await fails([insert, { sql: "select $1::int", params: [] }], ["INVALID_ARGUMENT", 1]);
  await assert.rejects(
    g.sqldb.executeBatch("db", [insert, { sql: "select $1", params: [undefined] }]),
    { name: "TypeError", message: /^statements\[1\]\.params\[0\]/ },
  );
}
