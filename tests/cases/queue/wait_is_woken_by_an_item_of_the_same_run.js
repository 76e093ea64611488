export async function main() {
  const waits = g.queue.waitForItem("q", { timeoutMs: 10_000 });
  await new Promise((resolve) => setTimeout(resolve, 50));
  g.queue.enqueue("q", "hello");
  const start = performance.now();
  assert.equal((await waits).data, "hello");
  assert.ok(performance.now() - start < 100);
}
