export async function main() {
  const name = "case-ids";
  await g.clustersearch.deleteIndex("cluster", name);
  const ids = [
    "a/b",
    "../x",
    "a/../b",
    "%2e%2e",
    "%2F",
    "a b+c",
    "?q=1#f",
    "a,b",
    "*",
    "_all",
    "é 😀",
    '"\\',
    "...",
    "x".repeat(512),
  ];
  for (const [index, id] of ids.entries()) {
    await g.clustersearch.index("cluster", name, id, { index });
  }
  await g.clustersearch.bulk(
    "cluster",
    name,
    ids.map((id) => ({ _id: id, bulk: true })),
    null,
    { refresh: true },
  );
  for (const id of ids) {
    assert.deepEqual(await g.clustersearch.get("cluster", name, id), { bulk: true });
  }
  const { hits } = await g.clustersearch.search("cluster", name, { size: 100 });
  assert.deepEqual(hits.map((hit) => hit._id).sort(), [...ids].sort());
}
