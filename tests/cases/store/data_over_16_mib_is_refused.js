export function main() {
  assert.throws(() => g.store.put("c", "k", "x".repeat(16 * 1024 * 1024 - 1)), {
    name: "RangeError", code: "INVALID_ARGUMENT", namespace: "store", method: "put",
    message: "data is 16777217 bytes, the limit is 16777216",
  });
  assert.equal(g.store.get("c", "k"), null);
}
