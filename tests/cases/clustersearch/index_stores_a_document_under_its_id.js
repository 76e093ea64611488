export async function main() {
  const name = "case-index";
  await g.clustersearch.deleteIndex("cluster", name);
  const document = { title: "é 😀 \u2028 \"", tags: ["a", null], at: new Date(0), deep: { n: 0.1 } };
  assert.equal(await g.clustersearch.index("cluster", name, "1", document), true);
  assert.deepEqual(await g.clustersearch.get("cluster", name, "1"), {
    ...document,
    at: "1970-01-01T00:00:00.000Z",
  });
  assert.equal(await g.clustersearch.index("cluster", name, "1", { title: "new" }), true);
  assert.deepEqual(await g.clustersearch.get("cluster", name, "1"), { title: "new" });
}
