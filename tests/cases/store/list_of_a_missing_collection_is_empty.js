export function main() {
  assert.deepEqual(g.store.list("nobody"), []);
  assert.deepEqual(g.store.list("nobody", { limit: 5, offset: 5, sort: "key", order: "asc" }), []);
}
