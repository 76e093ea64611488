export async function main() {
  const name = "case-at-once";
  await g.clustersearch.deleteIndex("cluster", name);
  const ids = Array.from({ length: 200 }, (_, n) => String(n));
  await Promise.all(ids.map((id) => g.clustersearch.index("cluster", name, id, { id })));
  const found = await Promise.all(ids.map((id) => g.clustersearch.get("cluster", name, id)));
  assert.deepEqual(found.map((document) => document.id), ids);
}
