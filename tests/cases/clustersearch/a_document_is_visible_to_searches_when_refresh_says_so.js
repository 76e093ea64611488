export async function main() {
  const name = "case-refresh";
  await g.clustersearch.deleteIndex("cluster", name);
  await g.clustersearch.createIndex("cluster", name, { settings: { refresh_interval: "1s" } });
  const found = async () => (await g.clustersearch.search("cluster", name, {})).total.value;
  await g.clustersearch.index("cluster", name, "1", { n: 1 }, { refresh: true });
  assert.equal(await found(), 1);
  await g.clustersearch.index("cluster", name, "2", { n: 2 }, { refresh: "wait_for" });
  assert.equal(await found(), 2);
  await g.clustersearch.bulk("cluster", name, [{ n: 3 }, { n: 4 }], 1, { refresh: true });
  assert.equal(await found(), 4);
  await g.clustersearch.bulk("cluster", name, [{ n: 5 }], null, { refresh: "wait_for" });
  assert.equal(await found(), 5);
  await g.clustersearch.index("cluster", name, "3", {}, { refresh: false });
  await g.clustersearch.index("cluster", name, "4", {}, null);
}
