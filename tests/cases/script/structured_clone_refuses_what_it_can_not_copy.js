export function main() {
  for (const value of [
    () => {},
    Symbol("s"),
    { deep: [() => {}] },
    new WeakMap(),
    Promise.resolve(),
  ]) {
    assert.throws(() => structuredClone(value), { name: "DataCloneError" });
  }
}
