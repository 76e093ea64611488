export async function main() {
  const place = ["docs", "cases", "replace"];
  await g.documentdb.insertOne(...place, { _id: 1, a: 1, b: 2 });
  const result = await g.documentdb.replaceOne(...place, { a: 1 }, { c: 3 });
  assert.deepEqual(result, { matchedCount: 1, modifiedCount: 1 });
  assert.deepEqual(await g.documentdb.find(...place), [{ _id: 1, c: 3 }]);
  const none = await g.documentdb.replaceOne(...place, { a: 1 }, { c: 4 });
  assert.deepEqual(none, { matchedCount: 0, modifiedCount: 0 });
  await assert.rejects(g.documentdb.replaceOne(...place, {}, { $set: { c: 4 } }), {
    name: "RangeError",
    code: "INVALID_ARGUMENT",
    message: /replacement must be a document, not the operator "\$set"/,
  });
  assert.deepEqual(await g.documentdb.find(...place), [{ _id: 1, c: 3 }]);
}
