export async function main() {
  const name = "case-syntax";
  await g.clustersearch.createIndex("cluster", name);
  const failed = (query) => g.clustersearch.search("cluster", name, query).catch((error) => error);
  const text = await failed('{"é":"😀", x}');
  assert.equal(text.code, "QUERY_SYNTAX");
  assert.equal(text.details.position, 11);
  assert.ok(/^queryDsl is not JSON/.test(text.message), text.message);
  const unknown = await failed({ query: { nonsense: {} } });
  assert.equal(unknown.code, "QUERY_SYNTAX");
  assert.equal(unknown.message, "unknown query [nonsense]");
  assert.deepEqual([unknown.details.line, unknown.details.status], [1, 400]);
  const lucene = await failed({ query: { query_string: { query: "a:(" } } });
  assert.equal(lucene.code, "QUERY_SYNTAX");
  assert.equal(lucene.message, "Failed to parse query [a:(]");
}
