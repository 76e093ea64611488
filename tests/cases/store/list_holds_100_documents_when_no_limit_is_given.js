export function main() {
  for (let i = 0; i < 101; i++) g.store.put("c", `k${i}`, i);
  const page = g.store.list("c");
  assert.equal(page.length, 100);
  assert.equal(page[0].data, 100);
  assert.equal(page[99].data, 1);
}
