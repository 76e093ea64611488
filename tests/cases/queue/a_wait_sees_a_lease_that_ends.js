// runs: 2
export async function main() {
  if (g.queue.queues().length === 0) {
    g.queue.enqueue("q", 1);
    g.queue.dequeue("q", { leaseMs: 1000 });
    return;
  }
  const item = await g.queue.waitForItem("q", { timeoutMs: 10_000 });
  assert.equal(item.lastError, "lease expired");
  assert.equal(item.attempts, 2);
}
