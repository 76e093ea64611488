export function main() {
  g.search.index({
    _key: "k",
    _collection: "c",
    text: "東京タワー Ünïcode Σίσυφος ภาษาไทย 😀",
    list: ["one two", "three"],
  });
  for (const query of [
    "京",
    "タワー",
    "ünïcode",
    "ΣΊΣΥΦΟς",
    "ภาษาไทย",
    "😀",
    '"東京"',
    'list:"one two"',
  ]) {
    assert.equal(g.search.query(query).length, 1, query);
  }
  assert.equal(g.search.query('list:"two three"').length, 0);
  assert.equal(g.search.query("unicode").length, 0);
}
