export function main() {
  assert.deepEqual(g.queue.queues(), []);
  for (const name of ["é", "b", "a", "Z", "gone"]) g.queue.enqueue(name, 1, { maxRetries: 0 });
  g.queue.dequeue("a");
  g.queue.abort(g.queue.dequeue("b").id);
  g.queue.commit(g.queue.dequeue("gone").id);
  assert.deepEqual(g.queue.queues(), ["Z", "a", "b", "é"]);
}
