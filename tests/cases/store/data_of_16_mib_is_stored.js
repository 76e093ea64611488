export function main() {
  const text = "x".repeat(16 * 1024 * 1024 - 2);
  g.store.put("c", "k", text);
  assert.ok(g.store.get("c", "k").data === text);
  assert.equal(g.store.list("c").length, 1);
}
