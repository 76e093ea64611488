export async function main() {
  for (let round = 0; round < 20; round++) {
    await g.sqldb.execute("db", "set application_name = 'dirty'");
    await g.sqldb.execute("db", "create temp table case_left (id int)");
    await g.sqldb.execute("db", "select pg_advisory_lock(4711)");
    await g.sqldb.execute("db", "deallocate all");
  }
  await Promise.all(
    Array.from({ length: 30 }, async () => {
      const row = await g.sqldb.queryOne(
        "db",
        `select current_setting('application_name') as name,
    to_regclass('pg_temp.case_left')::text as temp,
      pg_current_xact_id_if_assigned()::text as open, pg_sleep(0.05)`,
      );
      assert.equal(row.name, "ghost");
      assert.equal(row.temp, null);
      assert.equal(row.open, null);
    }),
  );
}
