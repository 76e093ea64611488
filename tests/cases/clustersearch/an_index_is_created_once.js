export async function main() {
  const name = "case-created-once";
  await g.clustersearch.deleteIndex("cluster", name);
  assert.equal(await g.clustersearch.createIndex("cluster", name), true);
  await g.clustersearch.index("cluster", name, "1", { n: 1 });
  assert.equal(await g.clustersearch.createIndex("cluster", name), false);
  assert.deepEqual(await g.clustersearch.get("cluster", name, "1"), { n: 1 });
}
