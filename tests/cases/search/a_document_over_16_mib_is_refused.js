export function main() {
  const error = assert.throws(() =>
    g.search.index({ _key: "k", _collection: "c", text: "x".repeat(16 * 1024 * 1024) }),
  );
  assert.equal(error.code, "INVALID_ARGUMENT");
  assert.ok(error.message.endsWith("the limit is 16777216"), error.message);
  assert.equal(g.search.count(), 0);
}
