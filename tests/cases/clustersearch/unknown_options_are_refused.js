export async function main() {
  const index = (options) => g.clustersearch.index("cluster", "case-options", "1", {}, options);
  const allowed = 'true, false or "wait_for"';
  await assert.rejects(index({ refresh: "soon" }), {
    name: "RangeError",
    message: `options.refresh must be ${allowed}, not "soon"`,
  });
  await assert.rejects(index({ refresh: 1 }), {
    name: "TypeError",
    message: `options.refresh must be ${allowed}, not a number`,
  });
  await assert.rejects(index({ routing: "a" }), { name: "TypeError", message: /"routing"/ });
  await assert.rejects(g.clustersearch.bulk("cluster", "case-options", [], 0), {
    name: "RangeError",
    message: /chunkSize/,
  });
  await assert.rejects(g.clustersearch.ping("cluster", 1), { name: "TypeError" });
  assert.equal(await g.clustersearch.deleteIndex("cluster", "case-options"), false);
}
