// runs: 3
export function main() {
  const before = g.search.query("word").length;
  g.search.index({ _key: `k${before}`, _collection: "c", text: "word" });
  assert.equal(g.search.count("c"), before + 1);
  assert.equal(g.search.query("word").length, before + 1);
}
