// flags: --no-workspace
export function main() {
  const calls = {
    put: () => g.store.put("c", "k", 1),
    get: () => g.store.get("c", "k"),
    list: () => g.store.list("c"),
    delete: () => g.store.delete("c", "k"),
    count: () => g.store.count("c"),
    clear: () => g.store.clear("c"),
    collections: () => g.store.collections(),
  };
  for (const [method, call] of Object.entries(calls)) {
    const error = assert.throws(call, {
      name: "GError",
      code: "NO_WORKSPACE",
      namespace: "store",
      method,
    });
    assert.ok(error instanceof Error);
    assert.ok(!(error instanceof TypeError) && !(error instanceof RangeError));
  }
}
