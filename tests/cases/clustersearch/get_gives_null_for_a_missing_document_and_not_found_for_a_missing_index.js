export async function main() {
  const name = "case-get";
  await g.clustersearch.createIndex("cluster", name);
  assert.equal(await g.clustersearch.get("cluster", name, "none"), null);
  const error = await g.clustersearch
    .get("cluster", "case-no-such-index", "1")
    .catch((error) => error);
  assert.equal(error.code, "NOT_FOUND");
  assert.equal(error.message, "no such index [case-no-such-index]");
  assert.equal(error.details.type, "index_not_found_exception");
  assert.equal(error.details.index, "case-no-such-index");
  assert.equal(error.details.status, 404);
}
