export function main() {
  for (let i = 0; i < 3; i++) g.queue.enqueue("q", i, { maxRetries: 0 });
  g.queue.enqueue("other", 1);
  g.queue.abort(g.queue.dequeue("q").id);
  const { id } = g.queue.dequeue("q");
  assert.equal(g.queue.clear("q"), undefined);
  assert.equal(g.queue.count("q"), 0);
  assert.deepEqual(g.queue.deadLetter("q"), []);
  assert.deepEqual(g.queue.queues(), ["other"]);
  assert.throws(() => g.queue.commit(id), { code: "NOT_FOUND" });
  g.queue.clear("never was");
  g.queue.enqueue("q", "new");
  assert.deepEqual(g.queue.list("q").map((item) => item.data), ["new"]);
}
