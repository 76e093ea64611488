export function main() {
  for (const key of [
    undefined,
    null,
    1,
    NaN,
    true,
    {},
    [],
    1n,
    Symbol("k"),
    () => "k",
    new String("k"),
  ]) {
    const calls = {
      put: () => g.store.put("c", key, 1),
      get: () => g.store.get("c", key),
      delete: () => g.store.delete("c", key),
    };
    for (const [method, call] of Object.entries(calls)) {
      assert.throws(call, {
        name: "TypeError",
        code: "INVALID_ARGUMENT",
        namespace: "store",
        method,
        message: /^key /,
      });
    }
  }
}
