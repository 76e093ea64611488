export function main() {
  assert.deepEqual(Object.keys(g.clustersearch).sort(), [
    "bulk",
    "createIndex",
    "deleteIndex",
    "get",
    "index",
    "info",
    "ping",
    "search",
  ]);
  assert.ok(Object.isFrozen(g.clustersearch) && Object.isFrozen(g.clustersearch.bulk));
}
