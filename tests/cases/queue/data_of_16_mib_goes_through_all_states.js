export function main() {
  const data = "x".repeat(16 * 2 ** 20 - 2);
  g.queue.enqueue("q", data, { maxRetries: 0 });
  assert.throws(() => g.queue.enqueue("q", data + "x"), {
    name: "RangeError",
    message: "data is 16777217 bytes, the limit is 16777216",
  });
  g.queue.abort(g.queue.dequeue("q").id);
  g.queue.retry("q", g.queue.deadLetter("q")[0].id);
  const item = g.queue.dequeue("q");
  assert.ok(item.data === data);
  g.queue.commit(item.id);
  assert.deepEqual(g.queue.queues(), []);
}
