export function main() {
  for (let i = 0; i < 250; i++) g.store.put("c", `k${i}`, { text: i % 2 ? "odd" : "even" });
  const seen = [];
  for (let offset = 0; ; offset += 50) {
    const page = g.store.search("c", "odd", { limit: 50, offset });
    if (!page.length) break;
    seen.push(...page.map(({ key }) => key));
  }
  assert.equal(seen.length, 125);
  assert.equal(new Set(seen).size, 125);
  assert.equal(g.store.search("c", "odd").length, 100);
}
