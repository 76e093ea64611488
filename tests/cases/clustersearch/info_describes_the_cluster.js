export async function main() {
  const info = await g.clustersearch.info("cluster");
  assert.deepEqual(Object.keys(info), ["name", "clusterName", "clusterUuid", "version", "tagline"]);
  assert.ok(/^\d+\.\d+\.\d+/.test(info.version), info.version);
  assert.ok(info.tagline.length > 0 && info.clusterUuid.length > 0 && info.clusterName.length > 0);
}
