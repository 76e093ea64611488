export function main() {
  for (const options of [5, "limit", true, 1n, Symbol("limit"), [], () => {}]) {
    assert.throws(() => g.store.list("c", options), {
      name: "TypeError",
      code: "INVALID_ARGUMENT",
      namespace: "store",
      method: "list",
      message: /options/,
    });
  }
}
