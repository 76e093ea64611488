export function main() {
  g.search.index({
    _key: "k",
    _collection: "c",
    text: `${"word ".repeat(200_000)}last ${"x".repeat(600)}`,
  });
  assert.equal(g.search.query("last").length, 1);
  assert.equal(g.search.query("x".repeat(255)).length, 1);
  assert.equal(g.search.query("x".repeat(600)).length, 1);
  assert.equal(g.search.query('"word last"').length, 1);
}
