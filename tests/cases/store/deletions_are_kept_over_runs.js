// runs: 2
export function main() {
  if (!g.store.get("state", "first")) {
    for (const key of ["a", "b", "c"]) g.store.put("c", key, 1);
    g.store.put("gone", "k", 1);
    g.store.delete("c", "b");
    g.store.clear("gone");
    g.store.put("state", "first", true);
    return;
  }
  assert.equal(g.store.get("c", "b"), null);
  assert.equal(g.store.count("c"), 2);
  assert.equal(g.store.count("gone"), 0);
  assert.deepEqual(g.store.collections(), ["c", "state"]);
}
