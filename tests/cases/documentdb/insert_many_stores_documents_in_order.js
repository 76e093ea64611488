export async function main() {
  const place = ["docs", "cases", "insert_many"];
  const result = await g.documentdb.insertMany(...place, [{ _id: "b" }, { _id: "a" }, { x: 1 }]);
  assert.equal(result.insertedCount, 3);
  assert.deepEqual(result.insertedIds.slice(0, 2), ["b", "a"]);
  assert.match(result.insertedIds[2], /^[0-9a-f]{24}$/);
  const empty = await g.documentdb.insertMany(...place, []);
  assert.deepEqual(empty, { insertedCount: 0, insertedIds: [] });
  assert.equal(await g.documentdb.countDocuments(...place), 3);
}
