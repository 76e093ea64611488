export function main() {
  g.queue.enqueue("q", "x");
  const first = g.queue.dequeue("q");
  assert.equal(g.queue.abort(first.id, "broken"), true);
  const second = g.queue.dequeue("q");
  assert.ok(second.id > first.id);
  assert.equal(second.attempts, 2);
  assert.equal(second.lastError, "broken");
  assert.equal(second.enqueuedAt, first.enqueuedAt);
}
