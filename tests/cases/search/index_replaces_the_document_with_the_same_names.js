export function main() {
  g.search.index({ _key: "k", _collection: "c", text: "old" });
  assert.equal(g.search.query("old").length, 1);
  g.search.index({ _key: "k", _collection: "c", text: "new" });
  assert.equal(g.search.query("old").length, 0);
  assert.equal(g.search.query("new").length, 1);
  assert.equal(g.search.count(), 1);
}
