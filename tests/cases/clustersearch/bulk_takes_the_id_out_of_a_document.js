export async function main() {
  const name = "case-bulk-ids";
  await g.clustersearch.deleteIndex("cluster", name);
  const documents = [
    { _id: "a", n: 1, inner: { _id: "b" } },
    { n: 2 },
    { n: 3, _id: "c" },
    { _id: "d" },
  ];
  const result = await g.clustersearch.bulk("cluster", name, documents, 2, { refresh: true });
  assert.equal(result.successful, 4);
  assert.deepEqual(await g.clustersearch.get("cluster", name, "a"), { n: 1, inner: { _id: "b" } });
  assert.deepEqual(await g.clustersearch.get("cluster", name, "c"), { n: 3 });
  assert.deepEqual(await g.clustersearch.get("cluster", name, "d"), {});
  assert.equal((await g.clustersearch.search("cluster", name, {})).total.value, 4);
  assert.deepEqual(documents[0], { _id: "a", n: 1, inner: { _id: "b" } });
}
