export async function main() {
  const name = "case-bulk-order";
  await g.clustersearch.deleteIndex("cluster", name);
  const documents = Array.from({ length: 300 }, (_, n) => ({ _id: String(n % 7), n }));
  const result = await g.clustersearch.bulk("cluster", name, documents, 3);
  assert.equal(result.successful, 300);
  for (let id = 0; id < 7; id += 1) {
    const { n } = await g.clustersearch.get("cluster", name, String(id));
    assert.ok(n >= 293 && n % 7 === id, `${id}: ${n}`);
  }
}
