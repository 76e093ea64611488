export function main() {
  for (const value of [1n, { n: 1n }, [[1n]], Object(1n)]) {
    assert.throws(() => g.store.put("c", "k", value), {
      name: "TypeError", code: "INVALID_ARGUMENT", namespace: "store", method: "put", message: /^data .*BigInt/,
    });
  }
}
