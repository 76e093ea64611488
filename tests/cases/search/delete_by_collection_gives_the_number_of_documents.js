export function main() {
  for (let i = 0; i < 5; i++)
    g.search.index({ _key: `k${i}`, _collection: i < 3 ? "a" : "b", text: "x" });
  assert.equal(g.search.query("x").length, 5);
  assert.equal(g.search.deleteByCollection("a"), 3);
  assert.equal(g.search.deleteByCollection("a"), 0);
  assert.deepEqual(
    g.search.query("x").map(({ collection }) => collection),
    ["b", "b"],
  );
  g.search.index({ _key: "k0", _collection: "a", text: "x again" });
  assert.equal(g.search.query("x").length, 3);
  assert.equal(g.search.count("a"), 1);
}
