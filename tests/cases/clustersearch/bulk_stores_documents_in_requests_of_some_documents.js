export async function main() {
  const name = "case-bulk";
  await g.clustersearch.deleteIndex("cluster", name);
  const documents = Array.from({ length: 2500 }, (_, n) => ({ n, text: `document ${n}` }));
  const result = await g.clustersearch.bulk("cluster", name, documents, undefined, {
    refresh: true,
  });
  assert.deepEqual(result, { total: 2500, successful: 2500, failed: 0, errors: [] });
  const { total, aggregations } = await g.clustersearch.search("cluster", name, {
    size: 0,
    track_total_hits: true,
    aggs: { sum: { sum: { field: "n" } } },
  });
  assert.equal(total.value, 2500);
  assert.equal(aggregations.sum.value, (2499 * 2500) / 2);
  assert.deepEqual(await g.clustersearch.bulk("cluster", name, []), {
    total: 0,
    successful: 0,
    failed: 0,
    errors: [],
  });
}
