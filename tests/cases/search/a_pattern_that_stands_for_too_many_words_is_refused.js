export function main() {
  for (let i = 0; i < 1025; i++)
    g.search.index({ _key: `k${i}`, _collection: "c", text: `word${i}` });
  const error = assert.throws(() => g.search.query("text:word*"));
  assert.equal(error.code, "LIMIT");
  assert.ok(error.message.includes("1024"), error.message);
  g.search.delete("c", "k7");
  assert.equal(g.search.query("text:word1*", { limit: 1000 }).length, 1 + 10 + 100 + 25);
}
