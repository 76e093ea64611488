export function main() {
  for (const value of [{}, { a: 1 }, [[1]], [{}]]) {
    const error = assert.throws(() =>
      g.search.index({ _key: "k", _collection: "c", nested: value }),
    );
    assert.ok(error instanceof TypeError);
    assert.equal(error.code, "INVALID_ARGUMENT");
    assert.ok(error.message.startsWith('field "nested"'), error.message);
  }
  assert.equal(g.search.count(), 0);
}
