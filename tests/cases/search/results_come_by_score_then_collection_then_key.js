export function main() {
  for (const [collection, key] of [["b", "2"], ["a", "9"], ["b", "1"], ["ab", "1"]]) {
    g.search.index({ _key: key, _collection: collection, text: "same words here" });
  }
  g.search.index({ _key: "best", _collection: "z", text: "same same same" });
  const names = g.search.query("same").map(({ collection, key }) => collection + key);
  assert.deepEqual(names, ["zbest", "a9", "ab1", "b1", "b2"]);
  assert.deepEqual(g.search.query("*:*").map(({ key }) => key), ["9", "1", "1", "2", "best"]);
}
