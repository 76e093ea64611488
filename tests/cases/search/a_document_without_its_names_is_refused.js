export function main() {
  const refused = (fields) => assert.throws(() => g.search.index(fields));
  assert.ok(refused({ _collection: "c" }).message.includes("_key"));
  assert.ok(refused({ _key: "k" }).message.includes("_collection"));
  assert.equal(refused({ _key: 5, _collection: "c" }).message, "_key must be a string, not a number");
  assert.equal(refused([]).message, "fields must be an object, not an array");
  assert.equal(refused({ _key: "", _collection: "c" }).message, "_key must not be empty");
  assert.equal(refused({ _key: "k".repeat(2049), _collection: "c" }).message, "_key is 2049 bytes, the limit is 2048");
  assert.equal(g.search.count(), 0);
}
