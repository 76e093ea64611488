export function main() {
  g.search.index({
    _key: "k",
    _collection: "c",
    first: "green",
    second: "tea",
    list: ["black", "coffee"],
  });
  assert.equal(g.search.query('"green tea"').length, 0);
  assert.equal(g.search.query('"black coffee"').length, 0);
  assert.equal(g.search.query("green AND tea").length, 1);
}
