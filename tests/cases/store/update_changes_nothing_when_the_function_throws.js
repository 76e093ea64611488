export function main() {
  g.store.put("c", "k", { count: 1 });
  const before = g.store.get("c", "k");
  const mine = new Error("mine");
  const thrown = assert.throws(() =>
    g.store.update("c", "k", (data) => {
      data.count = 2;
      throw mine;
    }),
  );
  assert.equal(thrown, mine);
  assert.deepEqual(g.store.get("c", "k"), before);
}
