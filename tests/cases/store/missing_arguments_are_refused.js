export function main() {
  const calls = {
    put: [() => g.store.put(), () => g.store.put("c"), () => g.store.put("c", "k")],
    get: [() => g.store.get(), () => g.store.get("c")],
    list: [() => g.store.list()],
    delete: [() => g.store.delete(), () => g.store.delete("c")],
    count: [() => g.store.count()],
    clear: [() => g.store.clear()],
  };
  for (const [method, forms] of Object.entries(calls)) {
    for (const call of forms) {
      assert.throws(call, {
        name: "TypeError",
        code: "INVALID_ARGUMENT",
        namespace: "store",
        method,
        message: /undefined/,
      });
    }
  }
  assert.deepEqual(g.store.collections(), []);
}
