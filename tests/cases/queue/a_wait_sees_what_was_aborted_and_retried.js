export async function main() {
  g.queue.enqueue("q", 1, { maxRetries: 1 });
  const item = g.queue.dequeue("q");
  const waits = g.queue.waitForItem("q", { timeoutMs: 10_000 });
  await new Promise((resolve) => setTimeout(resolve, 30));
  g.queue.abort(item.id, "again");
  const again = await waits;
  assert.equal(again.lastError, "again");
  g.queue.abort(again.id);
  const retried = g.queue.waitForItem("q", { timeoutMs: 10_000 });
  await new Promise((resolve) => setTimeout(resolve, 30));
  g.queue.retry("q", g.queue.deadLetter("q")[0].id);
  assert.equal((await retried).attempts, 1);
}
