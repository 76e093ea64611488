export function main() {
  const longest = "c".repeat(255);
  g.store.put(longest, "k", 1);
  assert.equal(g.store.get(longest, "k").data, 1);
  assert.deepEqual(g.store.collections(), [longest]);
}
