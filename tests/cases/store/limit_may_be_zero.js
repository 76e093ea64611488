export function main() {
  g.store.put("c", "k", 1);
  assert.deepEqual(g.store.list("c", { limit: 0 }), []);
}
