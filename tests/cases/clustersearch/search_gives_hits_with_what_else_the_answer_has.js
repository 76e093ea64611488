export async function main() {
  const name = "case-search";
  await g.clustersearch.deleteIndex("cluster", name);
  const documents = ["red fox", "red hen", "blue hen"].map((text, n) => ({
    _id: String(n),
    text,
    n,
  }));
  await g.clustersearch.bulk("cluster", name, documents, null, { refresh: true });
  const plain = await g.clustersearch.search("cluster", name, {
    query: { match: { text: "red" } },
  });
  assert.deepEqual(Object.keys(plain), ["total", "max_score", "hits", "took", "timed_out"]);
  assert.deepEqual(plain.total, { value: 2, relation: "eq" });
  assert.deepEqual(plain.hits.map((hit) => hit._source.text).sort(), ["red fox", "red hen"]);
  assert.equal(plain.timed_out, false);
  const more = await g.clustersearch.search("cluster", name, {
    size: 0,
    aggs: { sum: { sum: { field: "n" } } },
    suggest: { near: { text: "rad", term: { field: "text", min_word_length: 3 } } },
  });
  assert.equal(more.aggregations.sum.value, 3);
  assert.equal(more.suggest.near[0].options[0].text, "red");
  const text = await g.clustersearch.search("cluster", name, '{"size":1,"sort":[{"n":"desc"}]}');
  assert.equal(text.hits[0]._source.n, 2);
  assert.equal((await g.clustersearch.search("cluster", name, {})).total.value, 3);
}
