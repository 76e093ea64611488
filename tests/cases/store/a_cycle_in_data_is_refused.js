export function main() {
  const cycle = { name: "loop" };
  cycle.self = cycle;
  const array = [[]];
  array[0].push(array);
  for (const [value, message] of [
    [cycle, "data.self is data again, a cycle, which JSON can't hold"],
    [array, "data[0][0] is data again, a cycle, which JSON can't hold"],
    [
      { deep: { er: cycle } },
      "data.deep.er.self is data.deep.er again, a cycle, which JSON can't hold",
    ],
  ]) {
    assert.throws(() => g.store.put("c", "k", value), {
      name: "TypeError",
      code: "INVALID_ARGUMENT",
      method: "put",
      message,
    });
  }
}
