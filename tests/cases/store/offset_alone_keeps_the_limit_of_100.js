export function main() {
  for (let i = 0; i < 130; i++) g.store.put("c", `k${i}`, i);
  const page = g.store.list("c", { offset: 20 });
  assert.equal(page.length, 100);
  assert.equal(page[0].data, 109);
}
