export async function main() {
  const name = "case-bulk-long";
  await g.clustersearch.deleteIndex("cluster", name);
  await assert.rejects(g.clustersearch.bulk("cluster", name, [{}, { a: "x".repeat(5000000) }]), {
    code: "INVALID_ARGUMENT",
    message: /^documents\[1\] is 5000040 bytes in a request, the limit is 5000000/,
  });
  assert.equal(await g.clustersearch.deleteIndex("cluster", name), false);
}
