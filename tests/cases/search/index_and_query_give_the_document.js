export function main() {
  g.search.index({
    _key: "ada",
    _collection: "people",
    name: "Ada Lovelace",
    born: 1815,
    alive: false,
    tags: ["math", 1],
  });
  const [found, ...others] = g.search.query("lovelace");
  assert.equal(others.length, 0);
  assert.equal(found.key, "ada");
  assert.equal(found.collection, "people");
  assert.ok(found.score > 0);
  assert.deepEqual(found.fields, {
    name: "Ada Lovelace",
    born: "1815",
    alive: "false",
    tags: '["math",1]',
  });
}
