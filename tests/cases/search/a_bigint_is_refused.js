export function main() {
  const error = assert.throws(() => g.search.index({ _key: "k", _collection: "c", n: 1n }));
  assert.ok(error instanceof TypeError);
  assert.equal(error.code, "INVALID_ARGUMENT");
}
