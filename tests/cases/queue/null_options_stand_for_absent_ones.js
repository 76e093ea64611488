export async function main() {
  g.queue.enqueue("q", 1, null);
  g.queue.enqueue("q", 2, { priority: null, maxRetries: null });
  assert.equal(g.queue.dequeue("q", null).data, 1);
  assert.equal((await g.queue.waitForItem("q", { timeoutMs: null, leaseMs: null })).data, 2);
  assert.deepEqual(g.queue.list("q", null), []);
}
