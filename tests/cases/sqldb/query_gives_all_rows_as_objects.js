export async function main() {
  const rows = await g.sqldb.query(
    "db",
    "select i as id, 'n' || i as name from generate_series(1, 3) i order by i",
  );
  assert.deepEqual(rows, [
    { id: 1, name: "n1" },
    { id: 2, name: "n2" },
    { id: 3, name: "n3" },
  ]);
}
