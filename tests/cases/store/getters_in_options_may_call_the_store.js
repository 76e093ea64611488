export function main() {
  g.store.put("c", "a", 1);
  const options = { get limit() { g.store.put("c", "b", 2); return 10; } };
  assert.deepEqual(g.store.list("c", options).map((document) => document.key), ["b", "a"]);
}
