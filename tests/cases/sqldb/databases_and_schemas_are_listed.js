export async function main() {
  const databases = await g.sqldb.listDatabases("db");
  assert.ok(databases.includes(await g.sqldb.scalar("db", "select current_database()")));
  assert.ok(!databases.includes("template1"));
  await g.sqldb.execute("db", 'create schema if not exists "case schema"');
  const schemas = await g.sqldb.listSchemas("db");
  assert.ok(
    schemas.includes("public") &&
      schemas.includes("case schema") &&
      !schemas.includes("pg_catalog") &&
      !schemas.includes("information_schema"),
  );
  const all = await g.sqldb.listSchemas("db", { includeSystem: true });
  assert.ok(
    all.includes("pg_catalog") && all.includes("information_schema") && all.length > schemas.length,
  );
}
