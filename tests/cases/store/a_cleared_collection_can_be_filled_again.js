export function main() {
  g.store.put("c", "a", 1);
  g.store.clear("c");
  g.store.put("c", "b", 2);
  assert.equal(g.store.count("c"), 1);
  assert.deepEqual(g.store.list("c").map((document) => document.key), ["b"]);
}
