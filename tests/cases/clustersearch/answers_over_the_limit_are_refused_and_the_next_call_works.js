export async function main() {
  const name = "case-large-answers";
  await g.clustersearch.deleteIndex("cluster", name);
  await g.clustersearch.createIndex("cluster", name, { enabled: false });
  const documents = Array.from({ length: 20 }, () => ({ text: "x".repeat(4000000) }));
  for (let at = 0; at < 20; at += 5) {
    await g.clustersearch.bulk("cluster", name, documents.slice(at, at + 5), null, {
      refresh: true,
    });
  }
  await assert.rejects(g.clustersearch.search("cluster", name, { size: 20 }), {
    code: "LIMIT",
    message: /the limit is 67108864; ask for less at a time$/,
  });
  assert.equal((await g.clustersearch.search("cluster", name, { size: 2 })).hits.length, 2);
  await g.clustersearch.deleteIndex("cluster", name);
}
