// runs: 2
export async function main() {
  const before = g.store.get("clock", "last")?.data ?? Date.UTC(2024, 0);
  assert.ok(Date.now() > before);
  assert.ok(Math.abs(Date.now() - new Date().getTime()) < 1000);
  g.store.put("clock", "last", Date.now());
  await new Promise((resolve) => setTimeout(resolve, 2));
}
