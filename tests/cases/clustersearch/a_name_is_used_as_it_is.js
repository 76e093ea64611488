export async function main() {
  const name = "case-%2f%2e%2e-größe";
  await g.clustersearch.deleteIndex("cluster", name);
  assert.equal(await g.clustersearch.createIndex("cluster", name), true);
  await g.clustersearch.index("cluster", name, "1", { n: 1 }, { refresh: true });
  const { hits } = await g.clustersearch.search("cluster", name, {});
  assert.equal(hits[0]._index, name);
  assert.equal(await g.clustersearch.deleteIndex("cluster", name), true);
}
