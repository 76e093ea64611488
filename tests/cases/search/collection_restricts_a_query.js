export function main() {
  g.search.index({ _key: "1", _collection: "a", text: "x" });
  g.search.index({ _key: "2", _collection: "b", text: "x" });
  assert.deepEqual(g.search.query("x", { collection: "b" }).map(({ key }) => key), ["2"]);
  assert.deepEqual(g.search.query("x", { collection: "none" }), []);
  assert.deepEqual(g.search.query("_collection:a").map(({ key }) => key), ["1"]);
}
