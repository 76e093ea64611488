export function main() {
  const namespaces = ["clustersearch", "documentdb", "objectstore", "queue", "search", "sqldb", "store"];
  assert.deepEqual(Reflect.ownKeys(g).sort(), namespaces);
  assert.equal(g.functions, undefined);
  assert.equal(g.runtime, undefined);
}
