export function main() {
  const before = new Date().toISOString();
  assert.equal(g.queue.enqueue("q", { n: 1 }), undefined);
  const item = g.queue.dequeue("q");
  assert.deepEqual(Object.keys(item), [
    "id",
    "data",
    "priority",
    "attempts",
    "maxRetries",
    "enqueuedAt",
    "lastAttemptAt",
  ]);
  assert.deepEqual(item.data, { n: 1 });
  assert.equal(item.priority, 1);
  assert.equal(item.attempts, 1);
  assert.equal(item.maxRetries, 3);
  assert.ok(item.enqueuedAt >= before && item.lastAttemptAt >= item.enqueuedAt);
  assert.equal(new Date(item.enqueuedAt).toISOString(), item.enqueuedAt);
  assert.ok(Number.isInteger(item.id) && item.id > 0);
  g.queue.commit(item.id);
}
