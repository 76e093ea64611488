export async function main() {
  const name = "case-large-query";
  await g.clustersearch.deleteIndex("cluster", name);
  await g.clustersearch.index("cluster", name, "1", { n: 1 }, { refresh: true });
  let query = { match_all: {} };
  for (let level = 0; level < 10; level += 1) query = { bool: { must: [query] } };
  assert.equal((await g.clustersearch.search("cluster", name, { query })).total.value, 1);
  for (let level = 0; level < 57; level += 1) query = { bool: { must: [query] } };
  const deep = await g.clustersearch.search("cluster", name, { query }).catch((error) => error);
  assert.ok(
    deep.total?.value === 1 || ["BACKEND", "QUERY_SYNTAX"].includes(deep.code),
    String(deep),
  );
  const terms = { n: Array.from({ length: 60000 }, (_, n) => n) };
  assert.equal(
    (await g.clustersearch.search("cluster", name, { query: { terms } })).total.value,
    1,
  );
  const long = await g.clustersearch
    .search("cluster", name, { query: { match: { n: "9".repeat(17000000) } } })
    .catch((error) => error);
  assert.ok(
    long.total?.value === 0 || ["BACKEND", "QUERY_SYNTAX"].includes(long.code),
    String(long),
  );
  assert.equal(await g.clustersearch.ping("cluster"), true);
}
