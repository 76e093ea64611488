export async function main() {
  const db = "cases_list";
  for (const name of ["b", "a", "c"]) {
    await g.documentdb.insertOne("docs", db, name, { x: 1 });
  }
  assert.deepEqual(await g.documentdb.listCollections("docs", db), ["a", "b", "c"]);
  assert.deepEqual(await g.documentdb.listCollections("docs", "no_such_database"), []);
  const databases = await g.documentdb.listDatabases("docs");
  assert.ok(databases.includes(db));
  assert.deepEqual(databases, [...databases].sort());
  await g.documentdb.dropCollection("docs", db, "b");
  assert.deepEqual(await g.documentdb.listCollections("docs", db), ["a", "c"]);
  await g.documentdb.dropCollection("docs", db, "b");
}
