export async function main() {
  const place = ["docs", "cases", "batches"];
  const documents = Array.from({ length: 1000 }, (_, _id) => ({ _id, text: "x".repeat(100) }));
  await g.documentdb.insertMany(...place, documents);
  const found = await g.documentdb.find(...place, {}, { sort: { _id: 1 } });
  assert.equal(found.length, 1000);
  found.forEach((document, index) => assert.equal(document._id, index));
}
