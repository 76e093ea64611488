export async function main() {
  const create = (mappings) => g.clustersearch.createIndex("cluster", "case-no-mappings", mappings);
  await assert.rejects(create("{"), {
    code: "INVALID_ARGUMENT",
    message: /^mappingJson is not JSON/,
  });
  await assert.rejects(create("[]"), {
    name: "TypeError",
    message: "mappingJson must be an object, not an array",
  });
  await assert.rejects(create(5), {
    name: "TypeError",
    message: "mappingJson must be an object or JSON text, not a number",
  });
  const error = await create({ properties: { n: { type: "nonsense" } } }).catch((error) => error);
  assert.equal(error.code, "BACKEND");
  assert.equal(error.details.status, 400);
  assert.equal(error.details.type, "mapper_parsing_exception");
  assert.equal(await g.clustersearch.deleteIndex("cluster", "case-no-mappings"), false);
}
