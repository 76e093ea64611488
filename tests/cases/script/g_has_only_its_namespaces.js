export function main() {
  const local = ["queue", "search", "store"];
  const external = ["clustersearch", "documentdb", "objectstore", "sqldb"];
  assert.deepEqual(Reflect.ownKeys(g).sort(), [...local, ...external].sort());
  assert.equal(g.functions, undefined);
  assert.equal(g.runtime, undefined);
}
