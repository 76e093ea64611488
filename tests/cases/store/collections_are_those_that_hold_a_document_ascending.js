export function main() {
  assert.deepEqual(g.store.collections(), []);
  for (const name of ["b", "a", "Z", "é", "a b", "aa"]) g.store.put(name, "k", 1);
  assert.deepEqual(g.store.collections(), ["Z", "a", "a b", "aa", "b", "é"]);
  g.store.delete("a", "k");
  g.store.clear("b");
  g.store.get("x", "k");
  g.store.list("y");
  assert.deepEqual(g.store.collections(), ["Z", "a b", "aa", "é"]);
}
