export function main() {
  const error = assert.throws(() => g.store.search("c", "a", { prefix: "a", sort: "key" }));
  assert.deepEqual(error.name, "TypeError");
  assert.deepEqual(
    error.message,
    'unknown option "prefix": allowed are limit, offset, sort, order',
  );
}
