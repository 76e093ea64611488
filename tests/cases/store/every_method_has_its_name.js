export function main() {
  for (const name of ["put", "get", "list", "delete", "count", "clear", "collections"]) {
    assert.equal(typeof g.store[name], "function");
    assert.equal(g.store[name].name, name);
  }
}
