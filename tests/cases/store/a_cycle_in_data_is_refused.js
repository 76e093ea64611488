export function main() {
  const cycle = { name: "loop" };
  cycle.self = cycle;
  const array = [[]];
  array[0].push(array);
  for (const value of [cycle, array, { deep: { er: cycle } }]) {
    assert.throws(() => g.store.put("c", "k", value), {
      name: "TypeError", code: "INVALID_ARGUMENT", namespace: "store", method: "put", message: /^data .*(cycl|circular)/,
    });
  }
}
