export async function main() {
  const name = "case-no-source";
  await g.clustersearch.deleteIndex("cluster", name);
  await g.clustersearch.createIndex("cluster", name, { _source: { enabled: false } });
  await g.clustersearch.index("cluster", name, "1", { n: 1 });
  await assert.rejects(g.clustersearch.get("cluster", name, "1"), {
    code: "DATA",
    message: /sources/,
  });
}
