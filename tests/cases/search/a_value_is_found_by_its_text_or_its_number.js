export function main() {
  g.search.index({ _key: "number", _collection: "c", v: 1500 });
  g.search.index({ _key: "text", _collection: "c", v: "1500" });
  g.search.index({ _key: "list", _collection: "c", v: [3, 1500, "many words"] });
  g.search.index({ _key: "true", _collection: "c", v: true });
  const keys = (query) => g.search.query(query).map(({ key }) => key).sort().join(" ");
  assert.equal(keys("v:1500"), "list number text");
  assert.equal(keys("v:[1000 TO 2000]"), "list number text");
  assert.equal(keys("v:[20 TO 2000]"), "list number");
  assert.equal(keys("v:true"), "true");
  assert.equal(keys('v:"many words"'), "list");
}
