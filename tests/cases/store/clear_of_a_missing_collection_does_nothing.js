export function main() {
  g.store.put("people", "ada", 1);
  assert.equal(g.store.clear("nobody"), undefined);
  assert.deepEqual(g.store.collections(), ["people"]);
}
