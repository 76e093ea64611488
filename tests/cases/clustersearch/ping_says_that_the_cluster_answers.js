export async function main() {
  assert.equal(await g.clustersearch.ping("cluster"), true);
}
