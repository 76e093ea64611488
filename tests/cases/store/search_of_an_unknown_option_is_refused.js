export function main() {
  const error = assert.throws(() => g.store.search("c", "x", { collection: "c" }));
  assert.ok(error.message.startsWith('unknown option "collection": allowed are '), error.message);
  assert.ok(assert.throws(() => g.store.search("c", "x", { sort: "score" })) instanceof RangeError);
  assert.ok(assert.throws(() => g.store.search("c", "x", { limit: -1 })) instanceof RangeError);
  assert.ok(assert.throws(() => g.store.search("", "x")) instanceof RangeError);
}
