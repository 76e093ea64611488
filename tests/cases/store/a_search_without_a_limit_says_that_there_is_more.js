// console: made a workspace in .ghost
// console: g.store.search("c") gave 100 documents, and there are more: give a limit, or page with offset
export function main() {
  for (let index = 0; index < 101; index++) g.store.put("c", String(index), "word");
  assert.deepEqual(g.store.search("c", "word", { offset: 1 }).length, 100);
  assert.deepEqual(g.store.search("c", "word").length, 100);
}
