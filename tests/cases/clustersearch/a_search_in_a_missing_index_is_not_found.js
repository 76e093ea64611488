export async function main() {
  await assert.rejects(g.clustersearch.search("cluster", "case-no-such-index", {}), {
    code: "NOT_FOUND",
    message: "no such index [case-no-such-index]",
  });
}
