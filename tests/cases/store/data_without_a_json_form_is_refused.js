export function main() {
  for (const value of [undefined, () => {}, class {}, Symbol("s"), { toJSON() {} }]) {
    assert.throws(() => g.store.put("c", "k", value), {
      name: "TypeError", code: "INVALID_ARGUMENT", namespace: "store", method: "put", message: /^data /,
    });
  }
  assert.equal(g.store.count("c"), 0);
}
