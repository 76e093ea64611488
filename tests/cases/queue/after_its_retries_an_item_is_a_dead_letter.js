export function main() {
  g.queue.enqueue("q", { n: 1 }, { maxRetries: 2, priority: 2 });
  for (let attempt = 1; attempt <= 3; attempt++) {
    const item = g.queue.dequeue("q");
    assert.equal(item.attempts, attempt);
    assert.equal(g.queue.abort(item.id, `failure ${attempt}`), true);
  }
  assert.equal(g.queue.dequeue("q"), null);
  const [dead, ...others] = g.queue.deadLetter("q");
  assert.equal(others.length, 0);
  assert.deepEqual(Object.keys(dead), [
    "id",
    "data",
    "priority",
    "attempts",
    "maxRetries",
    "enqueuedAt",
    "lastAttemptAt",
    "lastError",
    "deadLetteredAt",
  ]);
  assert.deepEqual(dead.data, { n: 1 });
  assert.equal(dead.attempts, 3);
  assert.equal(dead.priority, 2);
  assert.equal(dead.lastError, "failure 3");
  assert.ok(dead.deadLetteredAt >= dead.lastAttemptAt);
}
