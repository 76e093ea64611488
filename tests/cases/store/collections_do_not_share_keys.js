export function main() {
  g.store.put("a", "k", 1);
  g.store.put("b", "k", 2);
  g.store.put("ab", "c", 3);
  g.store.put("a", "bc", 4);
  assert.equal(g.store.get("a", "k").data, 1);
  assert.equal(g.store.get("b", "k").data, 2);
  assert.equal(g.store.get("ab", "c").data, 3);
  assert.equal(g.store.get("a", "bc").data, 4);
  g.store.delete("a", "k");
  assert.equal(g.store.get("b", "k").data, 2);
}
