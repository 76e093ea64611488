// console: made a workspace in .ghost
// console: g.search.query gave 100 results, and there are more: give a limit, or page with offset
export function main() {
  for (let index = 0; index < 101; index++)
    g.search.index({ _collection: "c", _key: String(index), text: "word" });
  assert.deepEqual(g.search.query("word", { limit: 100 }).length, 100);
  assert.deepEqual(g.search.query("word").length, 100);
}
