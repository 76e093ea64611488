export async function main() {
  assert.equal(await g.queue.waitForItem("q", { timeoutMs: 20 }), null);
  g.queue.enqueue("q", 1);
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.equal(g.queue.count("q"), 1);
}
