const types = ["int", "bigint", "text", "inet", "real", "int[]", "jsonb", "text"];
const values = { int: 7, bigint: "7", text: "7", inet: "0.0.0.7", real: 7, "int[]": [7], jsonb: 7 };
export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_type_changes");
  await g.sqldb.execute("db", "create table case_type_changes (v int)");
  // All connections know the statement.
  const all = (sql) => Promise.all(Array.from({ length: 10 }, () => g.sqldb.query("db", sql)));
  const fill = { inet: "'0.0.0.7'", "int[]": "'{7}'" };
  for (const type of types) {
    await g.sqldb.execute("db", "delete from case_type_changes");
    await g.sqldb.execute(
      "db",
      `alter table case_type_changes alter column v type ${type} using null`,
    );
    await g.sqldb.execute("db", `insert into case_type_changes values (${fill[type] ?? "'7'"})`);
    for (const rows of await all("select v, 1 as one from case_type_changes"))
      assert.deepEqual(rows, [{ v: values[type], one: 1 }], type);
    // With a value whose text depends on the type.
    const given = type === "int[]" ? [7] : type === "jsonb" ? { a: [7] } : values[type];
    assert.deepEqual(
      await g.sqldb.query("db", "update case_type_changes set v = $1 returning v", [given]),
      [{ v: given }],
      type,
    );
  }
}
