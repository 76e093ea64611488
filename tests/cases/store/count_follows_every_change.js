export function main() {
  assert.equal(g.store.count("people"), 0);
  g.store.put("people", "ada", 1);
  g.store.put("people", "bob", 1);
  assert.equal(g.store.count("people"), 2);
  g.store.put("people", "bob", 2);
  assert.equal(g.store.count("people"), 2);
  g.store.delete("people", "bob");
  g.store.delete("people", "eve");
  assert.equal(g.store.count("people"), 1);
  g.store.clear("people");
  assert.equal(g.store.count("people"), 0);
}
