export function main() {
  const refusal = (options) => {
    const error = assert.throws(() => g.store.list("c", options));
    assert.deepEqual(error.code, "INVALID_ARGUMENT");
    return error.message;
  };
  assert.deepEqual(
    refusal({ prefix: "a" }),
    'prefix needs sort "key", and this list has sort "updatedAt": add sort: "key"',
  );
  assert.deepEqual(
    refusal({ after: "a", sort: "createdAt" }),
    'after needs sort "key", and this list has sort "createdAt": add sort: "key"',
  );
  assert.deepEqual(refusal({ after: "", sort: "key" }), "after must not be empty");
  assert.deepEqual(
    refusal({ prefix: "p".repeat(2049), sort: "key" }),
    "prefix is 2049 bytes, the limit is 2048",
  );
  assert.deepEqual(
    refusal({ prefix: 1, sort: "key" }),
    "options.prefix must be a string, not a number",
  );
  g.store.put("c", "p".repeat(2048), 1);
  assert.deepEqual(g.store.list("c", { prefix: "p".repeat(2048), sort: "key" }).length, 1);
}
