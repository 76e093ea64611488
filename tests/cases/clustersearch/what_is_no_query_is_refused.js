export async function main() {
  const search = (query) => g.clustersearch.search("cluster", "case-no-query", query);
  const cycle = {};
  cycle.query = cycle;
  await assert.rejects(search(), {
    name: "TypeError",
    message: /^queryDsl must be an object or JSON text/,
  });
  await assert.rejects(search(null), { name: "TypeError" });
  await assert.rejects(search([]), { name: "TypeError" });
  await assert.rejects(search("[]"), {
    name: "TypeError",
    message: "queryDsl must be an object, not an array",
  });
  await assert.rejects(search(""), { code: "QUERY_SYNTAX" });
  await assert.rejects(search(cycle), { name: "TypeError", message: /cycle/ });
  await assert.rejects(search({ size: 1n }), { name: "TypeError" });
  await assert.rejects(search(`${'{"a":'.repeat(1001)}1${"}".repeat(1001)}`), {
    name: "RangeError",
    message: "queryDsl is nested 1001 levels deep, the limit is 1000",
  });
}
