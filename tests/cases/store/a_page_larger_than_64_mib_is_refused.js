// flags: --max-memory 1G
export function main() {
  const text = "x".repeat(15 * 1024 * 1024);
  for (let i = 0; i < 5; i++) g.store.put("c", `k${i}`, text);
  assert.throws(() => g.store.list("c"), {
    name: "GError",
    code: "LIMIT",
    namespace: "store",
    method: "list",
  });
  assert.equal(g.store.list("c", { limit: 2 }).length, 2);
}
