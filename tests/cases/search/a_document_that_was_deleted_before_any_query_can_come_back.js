export function main() {
  const put = () => g.search.index({ _collection: "c", _key: "k", text: "tea" });
  assert.equal(g.search.query("tea").length, 0);
  put();
  g.search.delete("c", "k");
  assert.equal(g.search.query("tea").length, 0);
  put();
  assert.equal(g.search.query("tea").length, 1);
}
