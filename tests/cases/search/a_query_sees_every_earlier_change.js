export function main() {
  for (let i = 0; i < 20; i++) {
    g.search.index({ _key: `k${i}`, _collection: "c", text: "word" });
    assert.equal(g.search.query("word").length, i + 1);
  }
  for (let i = 0; i < 20; i++) {
    g.search.delete("c", `k${i}`);
    assert.equal(g.search.query("word").length, 19 - i);
  }
}
