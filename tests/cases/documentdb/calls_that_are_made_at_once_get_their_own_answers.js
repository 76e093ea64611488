export async function main() {
  const place = ["docs", "cases", "at_once"];
  const ids = Array.from({ length: 50 }, (_, _id) => _id);
  await Promise.all(ids.map((_id) => g.documentdb.insertOne(...place, { _id })));
  const found = await Promise.all(ids.map((_id) => g.documentdb.findOne(...place, { _id })));
  assert.deepEqual(found.map((document) => document._id), ids);
}
