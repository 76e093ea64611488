export function main() {
  g.store.put("c", "\u00e9", "one character");
  g.store.put("c", "e\u0301", "two characters");
  assert.equal(g.store.count("c"), 2);
  assert.equal(g.store.get("c", "\u00e9").data, "one character");
}
