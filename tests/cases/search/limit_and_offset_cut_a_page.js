export function main() {
  for (let i = 0; i < 250; i++)
    g.search.index({ _key: String(i).padStart(3, "0"), _collection: "c", text: "x" });
  assert.equal(g.search.query("x").length, 100);
  const page = g.search.query("x", { limit: 3, offset: 10 });
  assert.deepEqual(
    page.map(({ key }) => key),
    ["010", "011", "012"],
  );
  assert.deepEqual(g.search.query("x", { limit: 0 }), []);
  assert.equal(g.search.query("x", { limit: 1000, offset: 240 }).length, 10);
}
