export async function main() {
  const name = "case-too-deep";
  await g.clustersearch.deleteIndex("cluster", name);
  let deep = { n: 1 };
  for (let level = 0; level < 200; level += 1) deep = { deep };
  const error = await g.clustersearch.index("cluster", name, "1", deep).catch((error) => error);
  assert.equal(error.code, "BACKEND");
  assert.equal(error.details.status, 400);
  const result = await g.clustersearch.bulk("cluster", name, [deep, { n: 1 }]);
  assert.deepEqual([result.successful, result.failed], [1, 1]);
}
