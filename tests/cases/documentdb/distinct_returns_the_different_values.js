export async function main() {
  const place = ["docs", "cases", "distinct"];
  const documents = [{ a: "x" }, { a: "y" }, { a: "x" }, { a: "z", b: 1 }];
  await g.documentdb.insertMany(...place, documents);
  assert.deepEqual((await g.documentdb.distinct(...place, "a")).sort(), ["x", "y", "z"]);
  assert.deepEqual(await g.documentdb.distinct(...place, "a", { b: 1 }), ["z"]);
  assert.deepEqual(await g.documentdb.distinct(...place, "no_such_member"), []);
  await assert.rejects(g.documentdb.distinct(...place, ""), { code: "INVALID_ARGUMENT" });
}
