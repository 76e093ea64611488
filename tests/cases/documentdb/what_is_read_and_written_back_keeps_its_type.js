// An int64 that is small is a number in JavaScript, and stays an int64.
export async function main() {
  const place = ["docs", "cases", "kept"];
  await g.documentdb.insertOne(...place, { _id: 1, long: 5n, list: [6n, 7], deep: { long: 8n } });
  const read = await g.documentdb.findOne(...place, { _id: 1 });
  assert.deepEqual(read, { _id: 1, long: 5, list: [6, 7], deep: { long: 8 } });
  assert.equal(Reflect.ownKeys(read).length, 4);
  await g.documentdb.replaceOne(...place, { _id: 1 }, read);
  const isLong = (name) => g.documentdb.countDocuments(...place, { [name]: { $type: "long" } });
  for (const name of ["long", "list", "deep.long"]) {
    assert.equal(await isLong(name), 1, name);
  }
  assert.equal(await g.documentdb.countDocuments(...place, { _id: { $type: "int" } }), 1);
  // A copy is another object.
  await g.documentdb.insertOne(...place, { ...read, _id: 2 });
  assert.equal(await isLong("long"), 1);
}
