// runs: 2
export function main() {
  g.store.clear("c");
  for (let i = 0; i < 10; i++) g.store.put("c", `k${i}`, { text: "word" });
  assert.equal(g.store.search("c", "word").length, 10);
  g.store.put("c", "k0", { text: "changed" });
  g.store.delete("c", "k1");
  g.store.put("c", "new", "word as a bare text");
  assert.equal(g.store.search("c", "word").length, 9);
  assert.equal(g.store.search("c", "changed")[0].key, "k0");
  g.store.clear("c");
  assert.deepEqual(g.store.search("c", "*:*"), []);
  g.store.put("c", "k5", { text: "word" });
  assert.equal(g.store.search("c", "word").length, 1);
}
