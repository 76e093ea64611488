export async function main() {
  g.store.put("people", "ada", 1);
  const first = g.store.get("people", "ada");
  g.store.delete("people", "ada");
  await new Promise((resolve) => setTimeout(resolve, 5));
  g.store.put("people", "ada", 1);
  assert.ok(g.store.get("people", "ada").createdAt > first.createdAt);
}
