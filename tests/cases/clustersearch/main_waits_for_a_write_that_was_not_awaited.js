// runs: 2
export async function main() {
  const name = "case-not-awaited";
  if (g.store.count("runs") === 0) {
    await g.clustersearch.deleteIndex("cluster", name);
    g.store.put("runs", "first", 1);
    g.clustersearch.index("cluster", name, "1", { n: 1 });
    return;
  }
  assert.deepEqual(await g.clustersearch.get("cluster", name, "1"), { n: 1 });
}
