export async function main() {
  const insert = (document) => g.documentdb.insertOne("docs", "cases", "insert_one", document);
  const made = await insert({ name: "Ada" });
  assert.match(made.insertedId, /^[0-9a-f]{24}$/);
  assert.equal((await insert({ _id: "text" })).insertedId, "text");
  assert.equal((await insert({ _id: 7 })).insertedId, "7");
  const id = new g.documentdb.ObjectId("65F0C0FFEE65f0c0ffee65f0");
  assert.equal((await insert({ _id: id })).insertedId, "65f0c0ffee65f0c0ffee65f0");
  assert.equal((await insert({ _id: { a: 1, b: "x" } })).insertedId, '{"a":1,"b":"x"}');
  const found = await g.documentdb.findOne("docs", "cases", "insert_one", { name: "Ada" });
  assert.ok(found._id instanceof g.documentdb.ObjectId);
  assert.equal(found._id.text, made.insertedId);
}
