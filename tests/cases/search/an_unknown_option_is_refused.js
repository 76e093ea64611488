export function main() {
  const error = assert.throws(() => g.search.query("x", { size: 5 }));
  assert.equal(error.message, 'unknown option "size": allowed are collection, limit, offset');
}
