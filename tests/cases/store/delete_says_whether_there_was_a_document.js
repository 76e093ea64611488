export function main() {
  g.store.put("people", "ada", 1);
  assert.equal(g.store.delete("people", "ada"), true);
  assert.equal(g.store.delete("people", "ada"), false);
  assert.equal(g.store.delete("nobody", "ada"), false);
  assert.equal(g.store.get("people", "ada"), null);
  assert.deepEqual(g.store.list("people"), []);
}
