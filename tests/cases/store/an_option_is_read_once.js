export function main() {
  let reads = 0;
  const options = { get limit() { return reads++ === 0 ? 1 : -1; } };
  g.store.put("c", "a", 1);
  g.store.put("c", "b", 1);
  assert.equal(g.store.list("c", options).length, 1);
  assert.equal(reads, 1);
}
