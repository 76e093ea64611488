export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_described");
  await g.sqldb.execute(
    "db",
    `create table case_described (id integer generated always as identity,
    "Name" character varying(20) not null default 'x', code char(3),
    at timestamp with time zone, tags text[], price numeric(10, 2),
    twice int generated always as (1 * 2) stored, primary key (id, code))`,
  );
  const column = (name, type, nullable, more = {}) => ({
    name,
    type,
    nullable,
    defaultValue: null,
    isPrimaryKey: false,
    maxLength: null,
    ...more,
  });
  assert.deepEqual(await g.sqldb.describeTable("db", "case_described"), [
    column("id", "integer", false, { isPrimaryKey: true }),
    column("Name", "character varying", false, {
      defaultValue: "'x'::character varying",
      maxLength: 20,
    }),
    column("code", "character", false, { isPrimaryKey: true, maxLength: 3 }),
    column("at", "timestamp with time zone", true),
    column("tags", "text[]", true),
    column("price", "numeric", true),
    column("twice", "integer", true),
  ]);
  await assert.rejects(g.sqldb.describeTable("db", "CASE_described"), { code: "NOT_FOUND" });
  await assert.rejects(g.sqldb.describeTable("db", "case_described", "case_no_such_schema"), {
    code: "NOT_FOUND",
  });
}
