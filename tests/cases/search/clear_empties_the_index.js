export function main() {
  g.search.index({ _key: "k", _collection: "a", text: "x" });
  g.search.index({ _key: "k", _collection: "b", text: "x" });
  assert.equal(g.search.query("x").length, 2);
  g.search.clear();
  assert.equal(g.search.count(), 0);
  assert.deepEqual(g.search.query("*:*"), []);
}
