export function main() {
  g.store.put("c", "k", 1);
  assert.deepEqual(g.store.update("c", "k", () => undefined), null);
  assert.deepEqual(g.store.get("c", "k"), null);
  assert.deepEqual(g.store.update("c", "k", () => {}), null);
  assert.deepEqual(g.store.collections(), []);
}
