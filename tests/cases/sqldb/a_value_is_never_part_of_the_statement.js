export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_injection");
  await g.sqldb.execute("db", "create table case_injection (t text)");
  const text = "'); drop table case_injection; --";
  await g.sqldb.execute("db", "insert into case_injection values ($1)", [text]);
  assert.equal(
    await g.sqldb.scalar("db", "select t from case_injection where t = $1", [text]),
    text,
  );
}
