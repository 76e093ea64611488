export function main() {
  assert.equal(g.queue.peek("q"), null);
  g.queue.enqueue("q", "low", { priority: 0 });
  g.queue.enqueue("q", "high", { priority: 2 });
  const item = g.queue.peek("q");
  assert.equal(item.data, "high");
  assert.equal(item.attempts, 0);
  assert.equal("lastAttemptAt" in item, false);
  assert.deepEqual(g.queue.peek("q"), item);
  assert.equal(g.queue.dequeue("q").id, item.id);
}
