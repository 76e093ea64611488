export function main() {
  for (let i = 0; i < 101; i++) g.search.index({ _key: `k${i}`, _collection: "c", text: "x" });
  for (const options of [
    undefined,
    null,
    {},
    { collection: null, limit: null, offset: undefined },
  ]) {
    assert.equal(g.search.query("x", options).length, 100);
  }
  assert.equal(g.search.count(null), 101);
}
