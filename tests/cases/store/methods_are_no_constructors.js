export function main() {
  for (const method of Object.values(g.store))
    assert.throws(() => new method("c", "k", 1), { name: "TypeError" });
  assert.deepEqual(g.store.collections(), []);
}
