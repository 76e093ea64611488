export async function main() {
  const name = "case-refusal";
  await g.clustersearch.createIndex("cluster", name);
  const error = await g.clustersearch
    .search("cluster", name, { from: 20000, size: 10 })
    .catch((error) => error);
  assert.equal(error.code, "BACKEND");
  assert.equal(error.details.status, 400);
  assert.equal(error.details.type, "illegal_argument_exception");
  assert.equal(error.details.reason, error.message);
  assert.ok(/Result window is too large/.test(error.message));
  assert.equal(error.namespace, "clustersearch");
  assert.equal(error.method, "search");
}
