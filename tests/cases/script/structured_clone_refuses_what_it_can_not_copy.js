export function main() {
  for (const value of [
    () => {},
    Symbol("s"),
    { deep: [() => {}] },
    new WeakMap(),
    Promise.resolve(),
    new Proxy({}, {}),
    (function* () {})(),
    [].values(),
    Object(Symbol("s")),
  ]) {
    assert.throws(() => structuredClone(value), { name: "DataCloneError" });
  }
}
