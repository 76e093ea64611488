export function main() {
  const refusal = (...given) => {
    const error = assert.throws(() => g.store.update(...given));
    assert.deepEqual(
      [error.code, error.namespace, error.method],
      ["INVALID_ARGUMENT", "store", "update"],
    );
    return error.message;
  };
  assert.deepEqual(refusal("c", "k"), "change must be a function, not undefined");
  assert.deepEqual(
    refusal("c", 1, () => 1),
    "key must be a string, not a number",
  );
  assert.deepEqual(
    refusal("", "k", () => 1),
    "collection must not be empty",
  );
  assert.deepEqual(
    refusal("c", "k", () => 1n),
    "result is a BigInt, which JSON can't hold",
  );
  assert.deepEqual(
    refusal("c", "k", () => ({ n: [NaN] })),
    "result.n[0] is NaN, which JSON can't hold",
  );
  assert.deepEqual(
    refusal("c", "k", () => "x".repeat(16 << 20)),
    "data is 16777218 bytes, the limit is 16777216",
  );
  assert.deepEqual(g.store.collections(), []);
}
