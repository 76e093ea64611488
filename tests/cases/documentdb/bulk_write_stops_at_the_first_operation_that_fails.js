export async function main() {
  const place = ["docs", "cases", "bulk_fails"];
  const insert = (_id) => ({ type: "insertOne", document: { _id } });
  const error = await assert.rejects(
    g.documentdb.bulkWrite(...place, [
      insert(1),
      { type: "updateOne", filter: { _id: 1 }, update: { $set: { a: 1 } } },
      insert(2),
      insert(1),
      insert(3),
      { type: "deleteMany", filter: {} },
    ]),
    { name: "GError", code: "CONFLICT", method: "bulkWrite" },
  );
  assert.equal(error.details.index, 3);
  assert.deepEqual(error.details.result, {
    insertedCount: 2,
    matchedCount: 1,
    modifiedCount: 1,
    deletedCount: 0,
  });
  assert.equal(await g.documentdb.countDocuments(...place), 2);
}
