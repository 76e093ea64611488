export async function main() {
  const place = ["docs", "cases", "unique"];
  await g.documentdb.insertOne(...place, { email: "a" });
  await g.documentdb.createIndex(...place, { email: 1 }, { unique: true });
  await assert.rejects(g.documentdb.insertOne(...place, { email: "a" }), { code: "CONFLICT" });
  await g.documentdb.insertOne(...place, { email: "b" });
  assert.equal(await g.documentdb.countDocuments(...place), 2);
}
