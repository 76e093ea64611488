export async function main() {
  const databases = ["", "a/b", "..", "a.b", "a b", "$a", "a\0", "\n", "x".repeat(64), "\u0001"];
  for (const db of databases) {
    await assert.rejects(g.documentdb.find("docs", db, "c"), { code: "INVALID_ARGUMENT" });
    await assert.rejects(g.documentdb.listCollections("docs", db), { code: "INVALID_ARGUMENT" });
  }
  const collections = ["", "..", ".a", "a.", "a..b", "$cmd", "a\0", "\u007f", "x".repeat(255)];
  for (const name of collections) {
    for (const call of [
      () => g.documentdb.find("docs", "cases", name),
      () => g.documentdb.insertOne("docs", "cases", name, {}),
      () => g.documentdb.dropCollection("docs", "cases", name),
      () => g.documentdb.bulkWrite("docs", "cases", name, []),
    ]) {
      await assert.rejects(call, { code: "INVALID_ARGUMENT" });
    }
  }
}
