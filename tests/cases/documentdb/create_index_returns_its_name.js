export async function main() {
  const place = ["docs", "cases", "create_index"];
  await g.documentdb.insertOne(...place, { b: 1, a: 1 });
  assert.equal(await g.documentdb.createIndex(...place, { b: 1, a: -1 }), "b_1_a_-1");
  assert.equal(await g.documentdb.createIndex(...place, { b: 1, a: -1 }), "b_1_a_-1");
  const named = await g.documentdb.createIndex(...place, { c: 1 }, { name: "mine" });
  assert.equal(named, "mine");
  await assert.rejects(g.documentdb.createIndex(...place, {}), { name: "RangeError" });
  await assert.rejects(g.documentdb.createIndex(...place, { a: 1 }, { sparse: true }), {
    name: "TypeError",
    message: /unknown option "sparse": allowed are unique, name/,
  });
}
