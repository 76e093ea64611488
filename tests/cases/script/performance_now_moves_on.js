export async function main() {
  const start = performance.now();
  assert.ok(start >= 0 && start < 60_000);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const later = performance.now();
  assert.ok(later - start >= 4 && later - start < 10_000);
}
