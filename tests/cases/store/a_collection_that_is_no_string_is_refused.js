export function main() {
  for (const collection of [
    undefined,
    null,
    1,
    true,
    {},
    [],
    ["c"],
    1n,
    Symbol("c"),
    () => "c",
    new String("c"),
  ]) {
    const calls = {
      put: () => g.store.put(collection, "k", 1),
      get: () => g.store.get(collection, "k"),
      list: () => g.store.list(collection),
      delete: () => g.store.delete(collection, "k"),
      count: () => g.store.count(collection),
      clear: () => g.store.clear(collection),
    };
    for (const [method, call] of Object.entries(calls)) {
      assert.throws(call, {
        name: "TypeError",
        code: "INVALID_ARGUMENT",
        namespace: "store",
        method,
        message: /^collection /,
      });
    }
  }
}
