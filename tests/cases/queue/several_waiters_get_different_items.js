export async function main() {
  const waits = Array.from({ length: 50 }, () => g.queue.waitForItem("q", { timeoutMs: 20_000 }));
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (let i = 0; i < 50; i++) g.queue.enqueue("q", i);
  const items = await Promise.all(waits);
  assert.deepEqual(items.map((item) => item.data).sort((a, b) => a - b), [...Array(50).keys()]);
  assert.equal(new Set(items.map((item) => item.id)).size, 50);
}
