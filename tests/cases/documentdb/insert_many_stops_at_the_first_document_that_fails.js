export async function main() {
  const place = ["docs", "cases", "insert_many_fails"];
  const documents = [{ _id: 1 }, { _id: 2 }, { _id: 1 }, { _id: 3 }];
  const error = await assert.rejects(g.documentdb.insertMany(...place, documents), {
    name: "GError",
    code: "CONFLICT",
    namespace: "documentdb",
    method: "insertMany",
  });
  assert.equal(error.details.index, 2);
  assert.equal(error.details.code, 11000);
  assert.deepEqual(error.details.result, { insertedCount: 2, insertedIds: ["1", "2"] });
  assert.equal(await g.documentdb.countDocuments(...place), 2);
}
