export function main() {
  g.queue.enqueue("q", "x", { maxRetries: 0, priority: 0 });
  const first = g.queue.dequeue("q");
  g.queue.abort(first.id, "no");
  const [dead] = g.queue.deadLetter("q");
  assert.equal(g.queue.retry("q", dead.id), undefined);
  assert.deepEqual(g.queue.deadLetter("q"), []);
  const item = g.queue.dequeue("q");
  assert.ok(item.id > dead.id);
  assert.equal(item.attempts, 1);
  assert.equal(item.priority, 0);
  assert.equal(item.enqueuedAt, first.enqueuedAt);
  assert.equal(item.lastError, "no");
}
