export async function main() {
  const name = "case-bulk-bytes";
  await g.clustersearch.deleteIndex("cluster", name);
  await g.clustersearch.createIndex("cluster", name, { enabled: false });
  const documents = Array.from({ length: 40 }, (_, n) => ({
    _id: String(n),
    text: "x".repeat(600000),
  }));
  const result = await g.clustersearch.bulk("cluster", name, documents);
  assert.equal(result.successful, 40);
  assert.equal((await g.clustersearch.get("cluster", name, "39")).text.length, 600000);
}
