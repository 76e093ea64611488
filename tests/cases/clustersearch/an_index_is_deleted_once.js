export async function main() {
  const name = "case-deleted-once";
  await g.clustersearch.createIndex("cluster", name);
  assert.equal(await g.clustersearch.deleteIndex("cluster", name), true);
  assert.equal(await g.clustersearch.deleteIndex("cluster", name), false);
}
