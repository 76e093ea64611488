export function main() {
  const { store } = g;
  assert.equal((0, eval)("function g() { return 1; } g()"), 1);
  assert.equal((0, eval)("var g = 2; g"), 2);
  store.put("c", "k", 3);
  assert.equal(store.get("c", "k").data, 3);
}
