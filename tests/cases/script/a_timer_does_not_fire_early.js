export async function main() {
  const start = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.ok(performance.now() - start >= 29);
}
