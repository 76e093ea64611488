export function main() {
  const refusal = (...given) => {
    const error = assert.throws(() => g.store.all(...given));
    assert.deepEqual(
      [error.name, error.code, error.namespace, error.method],
      ["TypeError", "INVALID_ARGUMENT", "store", "all"],
    );
    return error.message;
  };
  assert.deepEqual(refusal(), "collection must be a string, not undefined");
  assert.deepEqual(
    refusal("c", { limit: 1 }),
    'unknown option "limit": allowed are prefix, after, order',
  );
  assert.deepEqual(refusal("c", { prefix: 1 }), "options.prefix must be a string, not a number");
  // Names and sizes are the host's to check, when the first page is read.
  const error = assert.throws(() => g.store.all("c", { prefix: "p".repeat(2049) }).next());
  assert.deepEqual(
    [error.name, error.message],
    ["RangeError", "prefix is 2049 bytes, the limit is 2048"],
  );
  assert.deepEqual(
    assert.throws(() => [...g.store.all("")]).message,
    "collection must not be empty",
  );
}
