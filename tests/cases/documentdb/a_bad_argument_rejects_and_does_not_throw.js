export async function main() {
  const calls = [
    () => g.documentdb.find(1, "d", "c"),
    () => g.documentdb.find("docs", "d"),
    () => g.documentdb.find("docs", "d", "c", "x"),
    () => g.documentdb.find("docs", "d", "c", {}, { limit: "1" }),
    () => g.documentdb.find("docs", "d", "c", {}, { batchSize: 1 }),
    () => g.documentdb.find("docs", "d", "c", {}, { sort: [["a", 1]] }),
    () => g.documentdb.findOne("docs", "d", "c", {}, {}),
    () => g.documentdb.insertOne("docs", "d", "c"),
    () => g.documentdb.insertMany("docs", "d", "c", { a: 1 }),
    () => g.documentdb.insertMany("docs", "d", "c", [1]),
    () => g.documentdb.updateOne("docs", "d", "c", {}),
    () => g.documentdb.deleteMany("docs", "d", "c"),
    () => g.documentdb.deleteMany("docs", "d", "c", null),
    () => g.documentdb.aggregate("docs", "d", "c", { $match: {} }),
    () => g.documentdb.bulkWrite("docs", "d", "c", {}),
  ];
  for (const call of calls) {
    const promise = call();
    assert.ok(promise instanceof Promise);
    await assert.rejects(promise, {
      name: "TypeError",
      code: "INVALID_ARGUMENT",
      namespace: "documentdb",
    });
  }
}
