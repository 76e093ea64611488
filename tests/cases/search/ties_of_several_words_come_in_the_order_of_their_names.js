// Documents that have the same words fit equally well, whatever the order in which their scores are
// added up.
export function main() {
  const words = ["a1", "b1", "c1", "d1", "e1", "f1", "g1"];
  const name = (i) => `k${String((i * 7919) % 3000).padStart(4, "0")}`;
  for (let i = 0; i < 3000; i++)
    g.search.index({ _collection: "c", _key: name(i), text: words.join(" ") });
  // Each word is in another number of documents.
  words.forEach((word, n) => {
    for (let i = 0; i < 40 * n; i++)
      g.search.index({ _collection: "d", _key: `${word}-${i}`, text: `${word} other` });
  });
  const expected = Array.from({ length: 20 }, (_, i) => `k${String(i).padStart(4, "0")}`);
  for (const one of words) {
    for (const two of words) {
      for (const three of words) {
        if (new Set([one, two, three]).size < 3) continue;
        const query = `${one} AND ${two} AND ${three}`;
        const found = g.search.query(query, { limit: 20 }).map(({ key }) => key);
        assert.deepEqual(found, expected, query);
      }
    }
  }
}
