export async function main() {
  const place = ["docs", "cases", "bulk"];
  const result = await g.documentdb.bulkWrite(...place, [
    { type: "insertOne", document: { _id: 1, a: 1 } },
    { type: "insertOne", document: { _id: 2, a: 1 } },
    { type: "updateMany", filter: { a: 1 }, update: { $set: { b: 1 } } },
    { type: "updateOne", filter: { _id: 1 }, update: { $inc: { a: 1 } } },
    { type: "replaceOne", filter: { _id: 2 }, replacement: { c: 1 } },
    { type: "insertOne", document: { _id: 3, a: 9 } },
    { type: "insertOne", document: { _id: 4, a: 9 } },
    { type: "deleteOne", filter: { a: 9 } },
    { type: "deleteMany", filter: { a: 9 } },
  ]);
  assert.deepEqual(result, {
    insertedCount: 4,
    matchedCount: 4,
    modifiedCount: 4,
    deletedCount: 2,
  });
  assert.deepEqual(await g.documentdb.find(...place, {}, { sort: { _id: 1 } }), [
    { _id: 1, a: 2, b: 1 },
    { _id: 2, c: 1 },
  ]);
  const none = await g.documentdb.bulkWrite(...place, []);
  assert.equal(none.insertedCount, 0);
}
