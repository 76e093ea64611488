export async function main() {
  const mappings = { properties: { n: { type: "long" } } };
  const bodies = {
    "case-mappings-object": mappings,
    "case-mappings-text": JSON.stringify(mappings),
    "case-mappings-body": { mappings, settings: { number_of_shards: 2 } },
    "case-mappings-body-text": JSON.stringify({ mappings, aliases: { "case-mappings-alias": {} } }),
  };
  for (const [name, body] of Object.entries(bodies)) {
    await g.clustersearch.deleteIndex("cluster", name);
    assert.equal(await g.clustersearch.createIndex("cluster", name, body), true);
    const error = await g.clustersearch
      .index("cluster", name, "1", { n: "text" })
      .catch((error) => error);
    assert.equal(error.code, "BACKEND");
    assert.ok(/failed to parse field \[n\] of type \[long\]/.test(error.message), error.message);
  }
  assert.equal(
    (await g.clustersearch.search("cluster", "case-mappings-alias", {})).total.value,
    0,
  );
}
