export function main() {
  const name = "c".repeat(256);
  const calls = {
    put: () => g.store.put(name, "k", 1),
    get: () => g.store.get(name, "k"),
    list: () => g.store.list(name),
    delete: () => g.store.delete(name, "k"),
    count: () => g.store.count(name),
    clear: () => g.store.clear(name),
  };
  for (const [method, call] of Object.entries(calls)) {
    assert.throws(call, {
      name: "RangeError", code: "INVALID_ARGUMENT", namespace: "store", method,
      message: "collection is 256 bytes, the limit is 255",
    });
  }
}
