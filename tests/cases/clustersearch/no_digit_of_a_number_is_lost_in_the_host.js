export async function main() {
  const name = "case-digits";
  await g.clustersearch.deleteIndex("cluster", name);
  await g.clustersearch.createIndex("cluster", name, {
    properties: { n: { type: "long" }, d: { type: "double" } },
  });
  await g.clustersearch.bulk(
    "cluster",
    name,
    [{ _id: "a", n: Number.MAX_SAFE_INTEGER, d: 0.1 + 0.2 }],
    1,
    { refresh: true },
  );
  assert.deepEqual(await g.clustersearch.get("cluster", name, "a"), {
    n: Number.MAX_SAFE_INTEGER,
    d: 0.30000000000000004,
  });
  // The text of a query keeps digits that a number of JavaScript does not have.
  const range = (bound) => `{"query":{"range":{"n":{"gte":${bound}}}}}`;
  assert.equal(
    (await g.clustersearch.search("cluster", name, range("9007199254740991"))).total.value,
    1,
  );
  assert.equal(
    (await g.clustersearch.search("cluster", name, range("9007199254740992"))).total.value,
    0,
  );
  const max = '{"query":{"match_all":{}},"aggs":{"max":{"terms":{"field":"n"}}}}';
  assert.equal(
    (await g.clustersearch.search("cluster", name, max)).aggregations.max.buckets[0].key,
    9007199254740991,
  );
}
