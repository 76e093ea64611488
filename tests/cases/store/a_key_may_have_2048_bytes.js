export function main() {
  const longest = "k".repeat(2048);
  g.store.put("c", longest, 1);
  assert.equal(g.store.get("c", longest).key, longest);
  assert.equal(g.store.list("c", { sort: "key" })[0].key, longest);
  assert.equal(g.store.delete("c", longest), true);
}
