export async function main() {
  g.store.put("people", "ada", { born: 1815 });
  const first = g.store.get("people", "ada");
  await new Promise((resolve) => setTimeout(resolve, 5));
  g.store.put("people", "ada", { died: 1852 });
  const second = g.store.get("people", "ada");
  assert.deepEqual(second.data, { died: 1852 });
  assert.equal(second.createdAt, first.createdAt);
  assert.ok(second.updatedAt > first.updatedAt);
  assert.equal(g.store.count("people"), 1);
}
