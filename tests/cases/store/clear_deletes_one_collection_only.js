export function main() {
  for (let i = 0; i < 250; i++) g.store.put("old", `k${i}`, i);
  g.store.put("ol", "k", 1);
  g.store.put("older", "k", 1);
  assert.equal(g.store.clear("old"), undefined);
  assert.equal(g.store.count("old"), 0);
  assert.equal(g.store.get("old", "k1"), null);
  for (const sort of ["key", "createdAt", "updatedAt"])
    assert.deepEqual(g.store.list("old", { sort }), []);
  assert.equal(g.store.count("ol"), 1);
  assert.equal(g.store.list("older").length, 1);
}
