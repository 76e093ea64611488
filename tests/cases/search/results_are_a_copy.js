export function main() {
  g.search.index({ _key: "k", _collection: "c", text: "word" });
  const [found] = g.search.query("word");
  found.fields.text = "changed";
  found.fields.more = "x";
  assert.deepEqual(g.search.query("word")[0].fields, { text: "word" });
}
