export function main() {
  const key = "k".repeat(2049);
  const calls = {
    put: () => g.store.put("c", key, 1),
    get: () => g.store.get("c", key),
    delete: () => g.store.delete("c", key),
  };
  for (const [method, call] of Object.entries(calls)) {
    assert.throws(call, {
      name: "RangeError", code: "INVALID_ARGUMENT", namespace: "store", method,
      message: "key is 2049 bytes, the limit is 2048",
    });
  }
}
