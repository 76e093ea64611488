// console: made a workspace in .ghost
// console: g.store.list("c") gave 100 documents, and there are more: give a limit, or use g.store.all
export function main() {
  for (let index = 0; index < 101; index++) g.store.put("c", `a${index}`, index);
  g.store.put("c", "b", 1);
  assert.deepEqual(g.store.list("c", { sort: "key", prefix: "a", after: "a99" }).length, 100);
  assert.deepEqual(g.store.list("c", { sort: "key", prefix: "a" }).length, 100);
}
