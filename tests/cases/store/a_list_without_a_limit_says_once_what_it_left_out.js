// console: made a workspace in .ghost
// console: g.store.list("orders") gave 100 of 500 documents: give a limit, or use g.store.all
export function main() {
  for (let index = 0; index < 500; index++) g.store.put("orders", String(index), index);
  assert.deepEqual(g.store.list("orders", { limit: 100 }).length, 100);
  assert.deepEqual(g.store.list("orders", { offset: 400 }).length, 100);
  for (let index = 0; index < 3; index++) assert.deepEqual(g.store.list("orders").length, 100);
}
