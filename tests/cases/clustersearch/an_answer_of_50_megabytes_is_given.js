export async function main() {
  const name = "case-answer-50-megabytes";
  await g.clustersearch.deleteIndex("cluster", name);
  await g.clustersearch.createIndex("cluster", name, { enabled: false });
  const text = "x".repeat(3900000);
  for (let n = 0; n < 13; n += 1) {
    await g.clustersearch.index("cluster", name, String(n), { text }, { refresh: n === 12 });
  }
  const found = await g.clustersearch.search("cluster", name, { size: 13 });
  assert.equal(found.hits.length, 13);
  assert.equal(found.timed_out, false);
  assert.ok(found.hits.every((hit) => hit._source.text.length === 3900000));
  await g.clustersearch.deleteIndex("cluster", name);
}
