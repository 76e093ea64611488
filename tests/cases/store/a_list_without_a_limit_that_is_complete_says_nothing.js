// console: made a workspace in .ghost
export function main() {
  for (let index = 0; index < 100; index++) g.store.put("orders", String(index), "word");
  g.store.put("few", "k", "word");
  assert.deepEqual(g.store.list("orders").length, 100);
  assert.deepEqual(g.store.list("orders", { sort: "key", prefix: "" }).length, 100);
  assert.deepEqual(g.store.search("orders", "word").length, 100);
  assert.deepEqual(g.store.search("few", "word").length, 1);
  assert.deepEqual([...g.store.all("orders")].length, 100);
}
