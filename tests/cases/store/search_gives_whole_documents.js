export function main() {
  g.store.put("c", "k", { text: "word", list: [1, { a: null }] });
  assert.deepEqual(g.store.search("c", "word"), [g.store.get("c", "k")]);
}
