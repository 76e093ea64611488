export function main() {
  assert.equal(g.store.get("nobody", "ada"), null);
  g.store.put("people", "ada", 1);
  assert.equal(g.store.get("people", "Ada"), null);
  assert.equal(g.store.get("People", "ada"), null);
}
