export function main() {
  const shared = { n: 1 };
  g.store.put("c", "k", { a: shared, b: [shared, shared] });
  assert.deepEqual(g.store.get("c", "k").data, { a: { n: 1 }, b: [{ n: 1 }, { n: 1 }] });
}
