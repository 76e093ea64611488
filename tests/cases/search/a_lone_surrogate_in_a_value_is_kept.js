export function main() {
  g.search.index({ _key: "k", _collection: "c", text: "half \ud800 word" });
  assert.equal(g.search.query("word")[0].fields.text, "half \ud800 word");
  const error = assert.throws(() => g.search.query("\ud800"));
  assert.equal(error.code, "INVALID_ARGUMENT");
}
