export function main() {
  const error = assert.throws(() => g.store.put("c", "k".repeat(2049), 1));
  assert.ok(error instanceof RangeError && error instanceof Error);
  assert.equal(error.code, "INVALID_ARGUMENT");
  assert.equal(error.namespace, "store");
  assert.equal(error.method, "put");
  assert.match(error.stack, /an_error_of_the_store_carries_its_fields\.js:2/);
  assert.ok(error.message[0] === error.message[0].toLowerCase() && !error.message.endsWith("."));
}
