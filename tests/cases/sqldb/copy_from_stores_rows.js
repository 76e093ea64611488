export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_copy_from");
  await g.sqldb.execute(
    "db",
    "create table case_copy_from (id int, t text, j jsonb, a text[], b bytea, twice int " +
      "generated always as (id * 2) stored)",
  );
  const rows = [
    [1, "a\tb\nc\\N", { k: [1] }, ["x", null], new Uint8Array([0, 255])],
    [2, "", '"text"', [], null],
    [3, null, null, null, null],
  ];
  assert.deepEqual(await g.sqldb.copyFrom("db", "case_copy_from", rows), { rowsCopied: 3 });
  const stored = await g.sqldb.query("db", "select * from case_copy_from order by id");
  assert.deepEqual([...stored[0].b], [0, 255]);
  stored[0].b = null;
  assert.deepEqual(stored, [
    { id: 1, t: "a\tb\nc\\N", j: { k: [1] }, a: ["x", null], b: null, twice: 2 },
    { id: 2, t: "", j: "text", a: [], b: null, twice: 4 },
    { id: 3, t: null, j: null, a: null, b: null, twice: 6 },
  ]);
  assert.deepEqual(await g.sqldb.copyFrom("db", "case_copy_from", []), { rowsCopied: 0 });
}
