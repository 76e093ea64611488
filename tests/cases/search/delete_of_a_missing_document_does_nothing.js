export function main() {
  assert.equal(g.search.delete("c", "k"), undefined);
  assert.equal(g.search.count("c"), 0);
}
