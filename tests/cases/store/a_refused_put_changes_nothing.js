export function main() {
  g.store.put("c", "k", "before");
  const before = g.store.get("c", "k");
  const cycle = [];
  cycle.push(cycle);
  for (const data of [undefined, cycle, 1n, "x".repeat(17 * 1024 * 1024)]) {
    assert.throws(() => g.store.put("c", "k", data), { code: "INVALID_ARGUMENT" });
  }
  assert.deepEqual(g.store.get("c", "k"), before);
}
